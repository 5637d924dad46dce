import { Command } from 'commander'
import { reportFailure } from './report-failure.ts'
import { addServeCommand } from './serve-command.ts'

/** The command line: `housebill <command>`. Sets the exit code; never throws. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command('housebill')
    .description('Lets partners sell household bills: quotes, tenants, onboarding and contracts.')
    .showHelpAfterError('(add --help for usage)')
    .showSuggestionAfterError()
  addServeCommand(program)
  try {
    await program.parseAsync([...argv])
  } catch (error) {
    reportFailure(error)
  }
}
