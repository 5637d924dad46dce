import { asInvocation, type Host, type Invocation, processHost } from './invocation.ts'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'

/**
 * The command line: `housebill <args>`. Returns the exit code and never throws: 0 success, 1 failure, 2 wrong usage.
 * With `--json`, a failure is also printed to standard output as one JSON object with an `error`.
 */
export async function runCommandLine(args: readonly string[], host: Host = processHost): Promise<number> {
  const call: Invocation = { ...host, asJson: args.includes('--json'), exitCode: 0 }
  return asInvocation(call, async () => {
    try {
      await createProgram().parseAsync([...args], { from: 'user' })
      return call.exitCode
    } catch (error) {
      return reportFailure(error, call.asJson)
    }
  })
}
