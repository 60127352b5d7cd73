/** A pytest plugin, found through the PYTHONPATH of a check. It is text here, because it does not run in ralph. */

/** Makes pytest load the plugin if the folder can be imported; if it cannot, nothing is missed. */
export const PLUGIN_METADATA: Readonly<Record<string, string>> = {
  METADATA: 'Metadata-Version: 2.1\nName: ralph-counts-tests\nVersion: 1.0\n',
  'entry_points.txt': '[pytest11]\nralph_counts_tests = ralph_counts_tests\n',
};

export const PYTEST_PLUGIN = String.raw`"""Writes a report for each run of pytest, where ralph reads it."""
import json
import os
import shutil
import uuid

import pytest

KIT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STATE = {}


def leave_environment():
    """Programs that the tests start are not part of the check, so they must not see our variables."""
    with open(os.path.join(KIT, "environment.json")) as file:
        own = json.load(file)
    without = {name: os.environ.get(name, "").replace(word, "").strip() for name, word in own["words"].items()}
    for name, folder in own["folders"].items():
        without[name] = ":".join(one for one in os.environ.get(name, "").split(":") if one != folder)
    for name, value in without.items():
        if value:
            os.environ[name] = value
        else:
            os.environ.pop(name, None)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    # A worker of pytest-xdist reports its tests to the process that started it.
    if hasattr(config, "workerinput") or not hasattr(config.option, "xmlpath"):
        return
    with open(os.path.join(KIT, "environment.json")) as file:
        shared = json.load(file)["report"]
    STATE["report"] = os.path.join(os.path.dirname(KIT), "%d-%s.xml" % (os.getpid(), uuid.uuid4().hex))
    given = config.option.xmlpath
    if not given or given == shared:
        config.option.xmlpath = STATE["report"]
    else:
        STATE["given"] = os.path.abspath(os.path.expanduser(os.path.expandvars(given)))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    if "report" not in STATE:
        return
    # Empty until the run is over, so that a run that is cut off leaves an unreadable report.
    open(STATE["report"], "w").close()
    leave_environment()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    if "given" in STATE and os.path.isfile(STATE["given"]) and os.path.exists(STATE["report"]):
        shutil.copyfile(STATE["given"], STATE["report"])
`;
