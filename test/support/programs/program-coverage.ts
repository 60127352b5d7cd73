/**
 * Makes the programs that tests start write coverage data. Node passes this variable on to every child, whatever
 * environment the child is given. Set this late, it has no effect on the process of the tests itself.
 */
process.env.NODE_V8_COVERAGE = process.env.RALPH_PROGRAM_COVERAGE;
