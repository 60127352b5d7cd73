/**
 * Makes the programs that tests start leave what they ran. Node hands this variable on to every child, whatever environment
 * the child is given; set so late, it does not make the process of the tests leave something too.
 */
process.env.NODE_V8_COVERAGE = process.env.RALPH_PROGRAM_COVERAGE;
