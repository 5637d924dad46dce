import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { PlannedMigration } from '../platform/db/migrate.ts'
import { addAddressesCommands, addMeterPointsCommands } from './addresses/addresses-commands.ts'
import type { ListAuditOptions } from './audit-actions.ts'
import { addCallCommand } from './call/call-command.ts'
import type { CheckOptions } from './config/check-action.ts'
import { addContractsCommands } from './contracts/contracts-commands.ts'
import { addCustomersCommands } from './customers/customers-commands.ts'
import { addListenCommand } from './developer/listen-command.ts'
import { addTriggerCommand } from './developer/trigger-command.ts'
import { addExamples } from './help/examples.ts'
import { addJourneyCommand } from './journey-command.ts'
import { addKeysCommands } from './keys/keys-commands.ts'
import { addOperatorCommands } from './operators/operator-commands.ts'
import { addPartnerCommands } from './partners/partner-commands.ts'
import { addPeopleCommands } from './people/people-commands.ts'
import { type JsonOption, jsonOption, print, printJson } from './print.ts'
import { addRatesCommands } from './rates/rates-commands.ts'
import { addRehearsalCommand } from './rehearsal/rehearsal-command.ts'
import { newProgram } from './run-program.ts'

interface MigrateOptions extends JsonOption {
  plan?: true
}

function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description(
      'Migrate the database to this version, as every start of the server does. Creates tables only in the database of DATABASE_URL. Safe to repeat.',
    )
    .option('--plan', 'only show which migrations would run and which locks they take')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
With --plan, the migrations run and are rolled back, so that the locks are those that PostgreSQL takes. A statement that waits or
works for longer than two seconds ends the plan. Whoever uses the same tables waits meanwhile: on a busy database, plan at a quiet time.`,
    )
    .action(async ({ json, plan }: MigrateOptions) => (plan ? showPlan(json) : applyMigrations(json)))
}

async function applyMigrations(json: true | undefined): Promise<void> {
  const { withDatabase } = await import('./with-database.ts')
  const applied = await withDatabase('migrate', async ({ migrationsApplied }) => migrationsApplied, {
    isMigrating: true,
  })
  if (json) printJson({ applied })
  else if (applied.length === 0) print('The database is up to date. No migrations were needed.')
  else print(`Migrations applied:\n${applied.map((name) => `  ${name}`).join('\n')}`)
}

async function showPlan(json: true | undefined): Promise<void> {
  const { planMigration } = await import('./with-database.ts')
  const pending = await planMigration()
  if (json) printJson({ pending: pending.map((each) => ({ ...each, locks: each.locks.map(withEffect) })) })
  else if (pending.length === 0) print('The database is up to date. No migration would run.')
  else print(`Migrations that would run:\n${pending.map(describe).join('\n')}`)
}

function describe({ name, expands, isConcurrent, locks }: PlannedMigration): string {
  const how = isConcurrent ? 'builds an index while others write' : 'in one transaction'
  const before = expands ? 'the version before goes on working' : 'processes of the version before stop their work'
  const lines = locks.map(withEffect).map(({ table, mode, effect }) => `    ${table}: ${mode}, ${effect}`)
  return [`  ${name}: ${how}; ${before}`, ...(lines.length > 0 ? lines : ['    no table that exists is locked'])].join(
    '\n',
  )
}

/** What each lock means for others. The rest of PostgreSQL's locks let reads and writes go on. */
const effects: Readonly<Record<string, string>> = {
  AccessExclusiveLock: 'reads and writes wait',
  ExclusiveLock: 'writes wait',
  ShareRowExclusiveLock: 'writes wait',
  ShareLock: 'writes wait',
}

function withEffect(lock: PlannedMigration['locks'][number]) {
  return { ...lock, effect: effects[lock.mode] ?? 'nobody waits' }
}

/** Works in bash and in zsh. */
const script = `_housebill() {
  local words=$(housebill completion -- "\${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
[ -n "\${ZSH_VERSION:-}" ] && autoload -U +X bashcompinit && bashcompinit
complete -o default -F _housebill housebill`

function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print what makes bash or zsh complete commands, and operations and fields of "call".')
    .argument('[words...]', 'a command line: print the words that can follow it instead')
    .addOption(jsonOption())
    .addHelpText('after', '\nIn your ~/.bashrc or ~/.zshrc: eval "$(housebill completion)"')
    .action(async (words: string[], { json }: JsonOption) => {
      const lines = words.length === 0 ? script.split('\n') : await followingWords(program, words.slice(1))
      if (json) printJson({ lines })
      else print(lines.join('\n'))
    })
}

async function followingWords(program: Command, typed: readonly string[]): Promise<string[]> {
  let command = program
  for (const word of typed) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) continue
    command = next.name() === 'call' ? await operationsOf(next, typed) : next
  }
  if (command.commands.length > 0) return command.commands.map((each) => each.name())
  return command.options.flatMap(({ long }) => long ?? [])
}

/** The operations of the deployment of this environment. */
async function operationsOf(call: Command, typed: readonly string[]): Promise<Command> {
  const { readOperations } = await import('./call/call-action.ts')
  return readOperations(typed.includes('--partner') ? { partner: true } : {}, call)
}

function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('Read the audit log.')
  audit
    .command('address-hash')
    .argument('<address>', 'an IP address')
    .description('Print what the request log and the security log have in place of this address.')
    .addOption(jsonOption())
    .action(async (address: string, options: JsonOption) =>
      (await import('./audit-actions.ts')).printAddressHash(address, options),
    )
  audit
    .command('list')
    .description(
      'List who changed what and who read whose data, oldest first. Shows the names of fields, never their values.',
    )
    .option('--customer <id>', 'only entries about this customer')
    .option('--partner <id>', 'only entries of this partner')
    .option('--since <day>', 'from this day on (YYYY-MM-DD), or from this timestamp on', instant)
    .option('--limit <count>', 'the maximum number of entries; the latest are shown', count, 1_000)
    .addOption(jsonOption())
    .action(async (options: ListAuditOptions) => (await import('./audit-actions.ts')).printAuditLog(options))
}

function instant(value: string): Date {
  const at = new Date(value)
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('Must be a date such as 2026-07-01, or a timestamp such as 2026-07-01T09:00:00Z.')
  return at
}

function count(value: string): number {
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100_000)
    throw new InvalidArgumentError('Must be a whole number from 1 to 100,000.')
  return limit
}

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
  addContractsCommands,
  addCustomersCommands,
  addAuditCommands,
  addKeysCommands,
  addCompletionCommand,
]

/** Only declares the commands. Their code is loaded when they run, so that help and usage errors appear immediately. */
export function createProgram(): Command {
  const program = newProgram('housebill')
    .description('Lets partners sell household bills: quotes, tenants, onboarding and contracts.')
    .version(versionText(), '-V, --version', 'print the version of Housebill and of the Node that runs it')
    .addHelpText('after', '\nEvery command takes --help and --json, and reads the same environment as the server.')
  for (const add of groups) add(program)
  addExamples(program)
  return program
}

function versionText(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return `housebill ${JSON.parse(manifest).version} (Node ${process.versions.node})`
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Serve the partner API (what "npm start" does).')
    .addOption(jsonOption())
    .addHelpText('after', '\nA supervisor should run "npm start" instead: npx does not forward signals to Housebill.')
    .action(async (options: JsonOption) => (await import('./serve/serve-action.ts')).startServing(options))
}

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('Check the configuration.')
  config
    .command('check')
    .description('List everything that is wrong with the configuration, without starting or changing anything.')
    .option('--connect', 'also connect to the databases, the mail server, Stripe and the other systems')
    .addOption(jsonOption())
    .action(async (options: CheckOptions) => (await import('./config/check-action.ts')).checkConfiguration(options))
}
