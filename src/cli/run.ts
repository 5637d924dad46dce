import type { Host } from './invocation.ts'
import { createProgram } from './program.ts'
import { runProgram } from './run-program.ts'

/** The command line: `housebill <args>`. Returns the exit code and never throws; see `runProgram`. */
export function runCommandLine(args: readonly string[], host?: Host): Promise<number> {
  const describe = async (error: unknown) => (await import('./describe-failure.ts')).describeFailure(error)
  return runProgram({ create: createProgram, describe }, args, host)
}
