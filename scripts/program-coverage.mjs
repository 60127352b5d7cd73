/**
 * Which parts of the built programs were run, in whatever process a test started them. Node writes what a process ran
 * into a folder when the process ends (NODE_V8_COVERAGE). These files are many and large, so they are read and removed
 * as they come. A process that is killed by SIGKILL, or cannot write there (in a sandbox), leaves none.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decodedMappings, TraceMap } from '@jridgewell/trace-mapping';
import { readOrNull } from './setup.mjs';

const LOOK_EVERY_MS = 500;
const IN_SOURCES = /^(?:\.\.\/)*(src\/.*)$/;

/**
 * Reads the files that appear in the folder until it is stopped. `programs` maps paths to code. Then `ran` has a byte
 * for each character of each program, which is 1 if any process ran it.
 */
export function readAsItComes(folder, programs) {
  const ran = new Map([...programs].map(([path, code]) => [path, new Uint8Array(code.length)]));
  // By name and length, so that copies of a program (in the plugin, in a test's folder) count, too.
  const paths = new Map([...programs].map(([path, code]) => [`${basename(path)} ${code.length}`, path]));
  const processes = { read: 0, unreadable: 0 };

  const add = ({ url, functions }) => {
    const [{ ranges }] = functions;
    const marks = ran.get(paths.get(`${basename(url)} ${ranges[0].endOffset}`));
    if (marks === undefined) return;
    const here = marksOf(functions, marks.length);
    for (let at = 0; at < marks.length; at++) marks[at] |= here[at];
  };
  const read = ({ isLast }) => {
    // If the folder was removed, the next process creates it again; the tests must not fail because of that.
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const scripts = scriptsIn(readOrNull(join(folder, name)));
      // Not completely written yet.
      if (scripts === null && !isLast) continue;
      for (const script of scripts ?? []) add(script);
      processes[scripts === null ? 'unreadable' : 'read'] += 1;
      rmSync(join(folder, name), { force: true });
    }
  };

  const timer = setInterval(() => read({ isLast: false }), LOOK_EVERY_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      read({ isLast: true });
      return { ran, processes };
    },
  };
}

function scriptsIn(text) {
  try {
    return JSON.parse(text).result.filter(({ url }) => url.startsWith('file:'));
  } catch {
    return null;
  }
}

/** Ranges are nested; the inner one decides. */
function marksOf(functions, length) {
  const ranges = functions.flatMap((each) => each.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const marks = new Uint8Array(length);
  for (const { startOffset, endOffset, count } of ranges) marks.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return marks;
}

/**
 * Maps back to the sources, with the maps that `withMaps` has beside the programs (`….map`): file → line → column → was
 * it run, for every position where the map says that something begins. Lines count from 1.
 */
export function placesInSources(ran, withMaps) {
  const places = new Map();
  for (const [path, marks] of ran) {
    const map = withMaps.get(`${path}.map`);
    // The bundler's own code has no source.
    if (map === undefined) continue;
    const trace = new TraceMap(map);
    const files = trace.sources.map((source) => IN_SOURCES.exec(source)?.[1]);
    const starts = lineStarts(withMaps.get(path));
    for (const [line, segments] of decodedMappings(trace).entries()) {
      for (const [column, source, sourceLine, sourceColumn] of segments) {
        if (source === undefined || files[source] === undefined) continue;
        const columns = within(within(places, files[source]), sourceLine + 1);
        columns.set(sourceColumn, columns.get(sourceColumn) === true || marks[starts[line] + column] === 1);
      }
    }
  }
  return places;
}

function lineStarts(code) {
  const starts = [0];
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function within(map, key) {
  if (!map.has(key)) map.set(key, new Map());
  return map.get(key);
}
