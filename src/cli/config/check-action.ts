import { existsSync } from 'node:fs'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readCertificate } from '../../app/certificate.ts'
import { checkConnections } from '../../app/check-connections.ts'
import { checkListenAddress } from '../../app/listen-address.ts'
import { createLogger } from '../../app/logger.ts'
import { openErasureLedger } from '../../app/open-erasure-ledger.ts'
import { liveProblems } from '../../app/operator-file.ts'
import { readOperator } from '../../app/reference-data.ts'
import { findCloseNames } from '../../platform/config/close-names.ts'
import { type Config, readConfig } from '../../platform/config/config.ts'
import { readSettings } from '../../platform/config/load-environment.ts'
import { ConfigurationError } from '../../platform/config/problems.ts'
import { loadSecrets } from '../../platform/config/secrets.ts'
import { MigrationError } from '../../platform/db/migration-error.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { RateCardsEnd } from '../../quoting/rates/watch-rate-cards.ts'
import { describeFailure } from '../describe-failure.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, print, printError, printJson } from '../print.ts'

export interface CheckOptions extends JsonOption {
  connect?: true
}

/** What was found. A warning keeps nothing from starting. */
interface Findings {
  problems: string[]
  warnings: string[]
  connected: string[]
}

/** The command `config check`. */
export async function checkConfiguration({ connect, json }: CheckOptions): Promise<void> {
  const { environment: source } = invocation()
  const { environment, problems: unread } = await readSettings({ source })
  const { config, problems } = readConfig(environment)
  const found: Findings = {
    problems: [...unread, ...problems.filter((problem) => !isOfUnread(problem, unread)), ...(await checkFiles(config))],
    warnings: [...warningsOf(config, source), ...(await warningsOfOperator(config))],
    connected: [],
  }
  if (connect === true) {
    const wrong = [...found.problems]
    // Connecting needs no keys, so those that cannot be used keep no other problem from being found.
    const hasKeys = !wrong.some((problem) => problem.includes('ENCRYPTION_KEYS'))
    const { ENCRYPTION_KEYS: _, ...withoutKeys } = environment
    const [readable, realm] = hasKeys ? [environment, config.realm] : [withoutKeys, 'sandbox' as const]
    const secrets = await loadSecrets(readable, realm, config.dataDir, 'nothing, not even read keys')
    const log = createLogger('silent')
    for (const { name, failures } of await checkConnections(config, secrets, { log, problems: wrong })) {
      if (failures.every((failure) => failure instanceof RateCardsEnd)) found.connected.push(name)
      for (const failure of failures)
        found[failure instanceof MigrationError || failure instanceof RateCardsEnd ? 'warnings' : 'problems'].push(
          ...wordsOf(failure),
        )
    }
  }
  report({ ...found, problems: [...new Set(found.problems)] }, json)
}

function report({ problems, ...found }: Findings, json: true | undefined): void {
  if (json !== true) for (const warning of found.warnings) printError(`Warning: ${warning}`)
  if (problems.length > 0)
    throw new CommandError('configuration', 'Housebill cannot start with this configuration', {
      problems: problems.map((detail) => ({ detail })),
      result: found,
    })
  const { connected } = found
  const systems = connected.length > 0 ? ` Connected to: ${connected.join(', ')}.` : ''
  if (json === true) printJson(found)
  else print(`Nothing is wrong with the configuration.${systems}`)
}

/** A secret that could not be read is not missing, too. */
function isOfUnread(problem: string, unread: readonly string[]): boolean {
  return unread.some((each) => problem.includes(` needs ${/^[A-Z_]+?(?=_FILE|_COMMAND)/.exec(each)?.[0]}`))
}

/** What a start reads besides the settings. */
async function checkFiles({ server, contracts, realm, erasureLedger }: Config): Promise<string[]> {
  const checks = [
    checkListenAddress(server).catch((error: unknown) => {
      // The service may be running.
      if (!(error instanceof CommandError && error.code === 'port_in_use')) throw error
    }),
    server.tls === undefined ? undefined : readCertificate(server.tls),
    contracts.operatorFile === undefined ? undefined : checkOperator(contracts.operatorFile, realm),
    erasureLedger.isGiven ? checkLedger({ erasureLedger }) : undefined,
  ]
  const outcomes = await Promise.allSettled(checks)
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? wordsOf(outcome.reason) : []))
}

async function checkOperator(file: string, realm: Config['realm']): Promise<void> {
  const operator = await readOperator(file)
  const problems = realm === 'live' ? liveProblems(operator, await readOperator(undefined)) : []
  if (problems.length > 0) throw new ConfigurationError(problems)
}

/** Warnings about an operator's file that can be read. */
async function warningsOfOperator({ contracts: { operatorFile } }: Config): Promise<string[]> {
  const operator = operatorFile === undefined ? undefined : await readOperator(operatorFile).catch(() => undefined)
  if (operator?.earlyExit?.vatRate === undefined) return []
  return [
    'OPERATOR_FILE fixes the VAT rate of the exit fee (earlyExit.vatRate). The fee is further payment for what was supplied, so energy has another rate than broadband. Remove it: then the fee has the rates of the services.',
  ]
}

/** Leaves no file: it would belong to whoever runs the command. */
async function checkLedger({ erasureLedger }: Pick<Config, 'erasureLedger'>): Promise<void> {
  const { file } = erasureLedger
  if (existsSync(file)) return void (await openErasureLedger({ erasureLedger }))
  let folder = dirname(file)
  while (!existsSync(folder)) folder = dirname(folder)
  const draft = join(folder, '.housebill-check-')
  await mkdtemp(draft).then(rmdir, (error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'erasure_ledger',
      `ERASURE_LEDGER cannot be created: ${file}: ${error.code}. Set it to a file in a folder that this user can write to.`,
    )
  })
}

function warningsOf({ realm, mail, broadband, payments }: Config, source: NodeJS.ProcessEnv): string[] {
  const isLive = realm === 'live'
  return [
    ...findCloseNames(source).map(({ name, meant }) => `${name} has no effect. You may mean ${meant}.`),
    ...(isLive && mail.transport === 'none'
      ? ['SMTP_URL is not set: no e-mail is sent to tenants or to contacts of partners.']
      : []),
    ...(isLive && broadband.homeTelecomUrl === undefined
      ? ['HOME_TELECOM_URL and BROADBAND_DATABASE_URL are not set: no broadband is sold.']
      : []),
    ...(isLive && payments.publishableKey === undefined
      ? ["STRIPE_PUBLISHABLE_KEY is not set: the tenants' pages cannot take a card."]
      : []),
  ]
}

function wordsOf(failure: unknown): string[] {
  const { message, problems } = describeFailure(failure)
  if (failure instanceof ConfigurationError) return problems.map(({ detail }) => detail)
  if (problems.length === 0) return [message]
  return problems.map(({ pointer, detail }) => `${message}: ${pointer === undefined ? '' : `${pointer}: `}${detail}`)
}
