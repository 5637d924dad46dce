import { flushCompileCache } from 'node:module'
import type { Logger } from 'pino'
import { checkListenAddress } from '../../app/listen-address.ts'
import { createLogDestination } from '../../app/log-destination.ts'
import { createLogger } from '../../app/logger.ts'
import type { RunningService } from '../../app/serve.ts'
import { createTerminalLog } from '../../app/terminal-log.ts'
import { warnOfCloseNames } from '../../platform/config/close-names.ts'
import { buildConfig, type Config } from '../../platform/config/config.ts'
import { hasDesk } from '../../platform/config/desk.ts'
import type { Environment } from '../../platform/config/env.ts'
import { loadEnvironment } from '../../platform/config/load-environment.ts'
import { loadSecrets, type Secrets } from '../../platform/config/secrets.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../platform/private-postgres/start-embedded.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, print } from '../print.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import { watchEventLoop } from './watch-event-loop.ts'

/** The text shown to the operator after startup: the address, new credentials (once) and the next command. */
export function describeStart(config: Config, { sandbox }: RunningService, asJson: boolean): string {
  const { publicUrl, host, port } = config.server
  if (asJson) {
    const credentials = { clientId: sandbox?.clientId, clientSecret: sandbox?.newClientSecret }
    return JSON.stringify({ realm: config.realm, publicUrl, host, port, dataDir: config.dataDir, ...credentials })
  }
  return [
    '',
    `Housebill ${config.realm} is ready at ${publicUrl} (listening on ${host}:${port})`,
    `  Start here     ${publicUrl}`,
    `  API reference  ${publicUrl}/docs/reference`,
    `  Developers     ${publicUrl}/workplace/developers`,
    `  Workplace      ${publicUrl}/workplace`,
    ...(hasDesk({ realm: config.realm, publicUrl, hasProvider: config.desk !== undefined })
      ? [`  Desk           ${publicUrl}/desk`]
      : []),
    `  Data           ${config.dataDir}`,
    ...(config.auth.identityProvider === undefined
      ? []
      : [`  Tokens         ${config.auth.identityProvider.issuer} (external identity provider)`]),
    ...(sandbox === undefined ? [] : describeSandbox(config, sandbox)),
    '',
  ].join('\n')
}

function describeSandbox(
  { server: { publicUrl }, auth }: Config,
  { clientId, newClientSecret }: NonNullable<RunningService['sandbox']>,
): string[] {
  if (auth.identityProvider !== undefined) return describeOutsideCredentials(clientId)
  const secret =
    newClientSecret === undefined
      ? [
          '  client secret  the one you set, or the one printed at the first start',
          `  a new secret   start with SANDBOX_CLIENT_ID=${clientId} and SANDBOX_CLIENT_SECRET=…`,
        ]
      : [`  client secret  ${newClientSecret}`, '                 shown only once: Housebill stores only a hash']
  return [
    '',
    'Sandbox credentials',
    `  client id      ${clientId}`,
    ...secret,
    '',
    'Next, in another terminal, run the whole journey from a token to a contract:',
    `  export SANDBOX_CLIENT_ID=${clientId} SANDBOX_CLIENT_SECRET=${newClientSecret ?? '…'}`,
    `  npx housebill journey --base-url ${publicUrl}`,
  ]
}

/** With an external identity provider, this service has no credentials of its own to show. */
function describeOutsideCredentials(clientId: string | undefined): string[] {
  const register = 'npx housebill partner create --name <name> --client-id <client id at the provider>'
  return [
    '',
    clientId === undefined
      ? `Register a client of the identity provider: ${register}`
      : `Sandbox partner: client id ${clientId}, with its secret at the identity provider`,
  ]
}

/** The time limit of a shutdown. After it, the process ends, and the next start recovers interrupted work. */
const maxStopMs = 45_000
/**
 * npm repeats a signal that the terminal has already sent to the whole process group. Within this time, the repetition
 * counts as the same signal.
 */
const sameSignalMs = 1_000

/**
 * `housebill serve`: starts the service and returns; the service runs until a signal ends it. Creates nothing if it
 * cannot listen on its port.
 */
export async function startServing({ json }: JsonOption): Promise<void> {
  limitHeapGrowth()
  const host = invocation()
  const environment = await loadEnvironment({ source: host.environment })
  const config = buildConfig(environment)
  await checkListenAddress(config.server)
  const forPeople = json !== true && host.stdout.isTTY === true
  if (forPeople) print('Starting Housebill. The first start takes a few seconds.')
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const { log, isQuiet, droppedLogLines } = createServeLog(environment, config)
  warnOfCloseNames(log, host.environment)
  watchEventLoop(host.environment, log)
  // Most of the code is loaded only here, once the checks have shown that the service can start.
  const service = await startService({ config, secrets, log, droppedLogLines })
  stopOnSignal(service, log, forPeople)
  // Write the compile cache now. Node would write it only at a clean exit, so a killed process would never do it.
  flushCompileCache()
  print(describeStart(config, service, json === true))
  if (isQuiet)
    print('Only warnings and errors are logged here. Set LOG_LEVEL=info to log every request. Stop with Ctrl-C.')
}

/** Starts the service, and its private PostgreSQL while the code of the service is being loaded. */
async function startService(given: {
  config: Config
  secrets: Secrets
  log: Logger
  droppedLogLines: (() => number) | undefined
}): Promise<RunningService> {
  const launch = Promise.withResolvers<void>()
  const postgres = given.secrets.databaseUrl === undefined ? startPostgres(given, launch.resolve) : undefined
  // Loading the service blocks this process, which would keep PostgreSQL's programs from being launched.
  if (postgres !== undefined) await Promise.race([postgres, launch.promise])
  const { serve } = await import('../../app/serve.ts')
  return serve({ ...given, postgres })
}

/** Starts the private PostgreSQL. Whoever awaits it gets the error if it does not start. */
function startPostgres(
  { config, log }: { config: Config; log: Logger },
  onLaunch: () => void,
): Promise<EmbeddedPostgres> {
  const started = startEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.info(message), onLaunch })
  started.catch(() => undefined)
  return started
}

/** SIGTERM and Ctrl-C let current requests finish; a second Ctrl-C ends the process immediately. */
function stopOnSignal(service: RunningService, log: Logger, forPeople: boolean): void {
  let stoppingSince: number | undefined
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (signal !== 'SIGINT' || performance.now() - stoppingSince < sameSignalMs) return
      log.error('stopped immediately by a second interrupt')
      process.exit(1)
    }
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    if (forPeople) print('Stopping. Press Ctrl-C again to stop at once.')
    setTimeout(() => {
      log.error('shutdown took too long and was aborted')
      process.exit(1)
    }, maxStopMs).unref()
    await service.stop()
    log.info('stopped')
    // Otherwise the end of the process writes what is left before what is being written.
    await new Promise<void>((resolve) => log.flush(() => resolve()))
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** The log of the service, and whether it shows only warnings and errors because it goes to a terminal. */
function createServeLog(
  environment: Environment,
  config: Config,
): { log: Logger; isQuiet: boolean; droppedLogLines: (() => number) | undefined } {
  const { stderr } = invocation()
  const isQuiet = environment.LOG_LEVEL === undefined && stderr.isTTY === true
  const level = isQuiet ? 'warn' : config.server.logLevel
  if (stderr.isTTY) {
    const terminal = createTerminalLog((text) => stderr.write(text))
    return { log: createLogger(level, terminal), isQuiet, droppedLogLines: undefined }
  }
  const destination = createLogDestination(2)
  return { log: createLogger(level, destination), isQuiet, droppedLogLines: destination.droppedLines }
}
