import { escapeOutput } from './escape-output.ts'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'

/**
 * The command line: `housebill <command>`. Sets the exit code and never throws: 0 success, 1 failure, 2 wrong usage. With `--json`,
 * a failure is also printed to standard output as one JSON object with an `error`.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  // The program that reads our output may stop early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  escapeOutput()
  try {
    await createProgram().parseAsync([...argv])
  } catch (error) {
    await reportFailure(error, argv.includes('--json'))
  }
}
