#!/usr/bin/env node
require('../dist/scripted-agent.cjs');
