#!/usr/bin/env node
require('./start.cjs')('ralph');
