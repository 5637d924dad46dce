import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addAddressesCommands } from './addresses/addresses-commands.ts'
import { addMeterPointsCommands } from './addresses/meter-points-commands.ts'
import { addAuditCommands } from './audit-commands.ts'
import { addContractsCommands } from './contracts/contracts-commands.ts'
import { addCustomersCommands } from './customers-commands.ts'
import { addJourneyCommand } from './journey-command.ts'
import { addKeysCommands } from './keys/keys-commands.ts'
import { addMigrateCommand } from './migrate-command.ts'
import { addOperatorCommands } from './operators/operator-commands.ts'
import { addPartnerCommands } from './partners/partner-commands.ts'
import { addQuotesCommands } from './quotes/quotes-commands.ts'
import { addRatesCommands } from './rates/rates-commands.ts'
import { reportFailure } from './report-failure.ts'
import { addReportCommands } from './reports/report-commands.ts'
import { addServeCommand } from './serve/serve-command.ts'
import { addWebhooksCommands } from './webhooks-commands.ts'

/**
 * The command line: `housebill <command>`. Sets the exit code and never throws: 0 success, 1 failure, 2 wrong usage. With `--json`,
 * a failure is also printed to standard output as one JSON object with an `error`.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  // The program that reads our output may stop early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  try {
    await createProgram().parseAsync([...argv])
  } catch (error) {
    await reportFailure(error, argv.includes('--json'))
  }
}

function versionText(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return `housebill ${JSON.parse(manifest).version} (Node ${process.versions.node})`
}

/** Only declares the commands. Their code is loaded when they run, so that help and usage errors appear immediately. */
function createProgram(): Command {
  const program = new Command('housebill')
    .description('Lets partners sell household bills: quotes, tenants, onboarding and contracts.')
    .version(versionText(), '-V, --version', 'print the version of Housebill and of the Node that runs it')
    .addHelpText('after', '\nEvery command takes --help and --json, and reads the same environment as the server.')
    .showHelpAfterError('(add --help for usage)')
    .showSuggestionAfterError()
    // Throw instead of ending the process; subcommands inherit this.
    .exitOverride()
  addServeCommand(program)
  addJourneyCommand(program)
  addMigrateCommand(program)
  addPartnerCommands(program)
  addOperatorCommands(program)
  addRatesCommands(program)
  addAddressesCommands(program)
  addMeterPointsCommands(program)
  addWebhooksCommands(program)
  addQuotesCommands(program)
  addContractsCommands(program)
  addReportCommands(program)
  addCustomersCommands(program)
  addAuditCommands(program)
  addKeysCommands(program)
  return program
}
