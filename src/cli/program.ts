import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addAddressesCommands, addMeterPointsCommands } from './addresses/addresses-commands.ts'
import { addAuditCommands } from './audit-commands.ts'
import { addCallCommand } from './call/call-command.ts'
import { coloured } from './coloured.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addConfigCommands } from './config/config-commands.ts'
import { addContractsCommands } from './contracts/contracts-commands.ts'
import { addCustomersCommands } from './customers/customers-commands.ts'
import { addListenCommand } from './developer/listen-command.ts'
import { addTriggerCommand } from './developer/trigger-command.ts'
import { addExamples } from './help/examples.ts'
import { invocation } from './invocation.ts'
import { addJourneyCommand } from './journey-command.ts'
import { addKeysCommands } from './keys/keys-commands.ts'
import { addMigrateCommand } from './migrate-command.ts'
import { addOperatorCommands } from './operators/operator-commands.ts'
import { addPartnerCommands } from './partners/partner-commands.ts'
import { addPeopleCommands } from './people/people-commands.ts'
import { addQuotesCommands } from './quotes/quotes-commands.ts'
import { addRatesCommands } from './rates/rates-commands.ts'
import { addRehearsalCommand } from './rehearsal/rehearsal-command.ts'
import { addServeCommand } from './serve/serve-command.ts'
import { addWebhooksCommands } from './webhooks-commands.ts'

/** In the order in which help lists them. */
const groups = [
  addServeCommand,
  addCallCommand,
  addJourneyCommand,
  addListenCommand,
  addTriggerCommand,
  addMigrateCommand,
  addConfigCommands,
  addRehearsalCommand,
  addPartnerCommands,
  addOperatorCommands,
  addPeopleCommands,
  addRatesCommands,
  addAddressesCommands,
  addMeterPointsCommands,
  addWebhooksCommands,
  addQuotesCommands,
  addContractsCommands,
  addCustomersCommands,
  addAuditCommands,
  addKeysCommands,
  addCompletionCommand,
]

/** Only declares the commands. Their code is loaded when they run, so that help and usage errors appear immediately. */
export function createProgram(): Command {
  const program = new Command('housebill')
    .description('Lets partners sell household bills: quotes, tenants, onboarding and contracts.')
    .version(versionText(), '-V, --version', 'print the version of Housebill and of the Node that runs it')
    .addHelpText('after', '\nEvery command takes --help and --json, and reads the same environment as the server.')
    .showHelpAfterError('(add --help for usage)')
    .showSuggestionAfterError()
    // Throw instead of ending the process; subcommands inherit this, and the colours.
    .exitOverride()
    .configureHelp({ styleTitle: (title) => coloured('heading', title) })
    .configureOutput({
      writeOut: (text) => invocation().stdout.write(text),
      writeErr: (text) => invocation().stderr.write(text),
      outputError: (text, write) => write(coloured('bad', text, invocation().stderr)),
    })
  for (const add of groups) add(program)
  addExamples(program)
  return program
}

function versionText(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return `housebill ${JSON.parse(manifest).version} (Node ${process.versions.node})`
}
