import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildConfig } from '../platform/config/config.ts'
import { allDatabaseUrls } from '../platform/config/database-urls.ts'
import type { Environment } from '../platform/config/env.ts'
import { ConfigurationError } from '../platform/config/problems.ts'
import { loadSecrets } from '../platform/config/secrets.ts'
import { addDatabase } from '../platform/db/grant-runtime-roles.ts'
import { CommandError } from '../platform/kernel/command-error.ts'
import { makeFolder } from '../platform/kernel/make-folder.ts'
import { buildBroadbandDatabaseSimulator } from '../sandbox/simulators/broadband-database/server.ts'
import { buildHomeTelecomSimulator } from '../sandbox/simulators/home-telecom/server.ts'
import { buildPaymentSimulator } from '../sandbox/simulators/payment-processor/payment-simulator.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { liveProblems } from './operator-file.ts'
import { readOperator, readReferenceData } from './reference-data.ts'

/** What a live deployment needs around it, except a mail server: started, and named in a file. */
export interface Rehearsal {
  /** The settings with which the service starts. */
  environmentFile: string
  /** Confirms a test card of a setup intent, as a tenant's browser would. */
  confirmScript: string
  /** Stops the simulators, and PostgreSQL once nothing else uses it. */
  stop(): Promise<void>
}

interface RehearsalOptions {
  folder: string
  operatorFile: string
  /** The port of the service. */
  port: number
  /** The settings of the operator's own database; otherwise one is made in the folder. */
  given: Environment
  log: Logger
}

const names = { environment: 'environment', certificate: 'certificate.pem', key: 'key.pem', confirm: 'confirm-card' }

/**
 * Starts the simulators as HTTPS servers on loopback, and writes an environment with which the service runs by live's
 * rules. The folder keeps keys, ports and data, so a later call with it continues. Throws CommandError.
 */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const problems = liveProblems(await readOperator(options.operatorFile), await readOperator(undefined))
  if (problems.length > 0) throw new ConfigurationError(problems)
  const folder = resolve(options.folder)
  await makeFolder(folder, process.geteuid?.() === 0 ? 0o711 : 0o700)
  const environmentFile = join(folder, names.environment)
  const kept = await readFile(environmentFile, 'utf8').then(parseEnv, () => undefined)
  if (kept === undefined) await makeCertificate(folder)
  const [cert, key] = await Promise.all([names.certificate, names.key].map((name) => readFile(join(folder, name))))
  const closers: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    const opened = await openOwnDatabase(join(folder, 'simulators'), options.log)
    closers.push(opened.close)
    const secretKey = kept?.STRIPE_SECRET_KEY ?? `sk_live_${randomBytes(24).toString('hex')}`
    const webhookSecret = kept?.STRIPE_WEBHOOK_SECRET ?? `whsec_${randomBytes(24).toString('hex')}`
    const publicUrl = `https://localhost:${options.port}`
    const { bankHolidays } = await readReferenceData()
    const payments = buildPaymentSimulator({
      db: opened.databases.system,
      secretKey,
      webhookUrl: `${publicUrl}/processor-webhooks/stripe`,
      webhookSecret,
      log: options.log,
    })
    const listen = async (app: FastifyInstance, name: string) => {
      const server = await serveOverTls(app, { cert, key }, portOf(kept?.[name]))
      closers.push(server.close)
      return server.url
    }
    const environment: Record<string, string> = {
      ENCRYPTION_KEYS: `rehearsal-1:${randomBytes(32).toString('base64')}`,
      ...(await databaseSettings(options.given, opened)),
      ...kept,
      HOUSEBILL_ENV: 'live',
      PORT: String(options.port),
      PUBLIC_URL: publicUrl,
      TLS_CERT_FILE: join(folder, names.certificate),
      TLS_KEY_FILE: join(folder, names.key),
      NODE_EXTRA_CA_CERTS: join(folder, names.certificate),
      ERASURE_LEDGER: join(folder, 'erasures.jsonl'),
      OPERATOR_FILE: resolve(options.operatorFile),
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: await listen(payments, 'STRIPE_API_BASE'),
      HOME_TELECOM_URL: await listen(buildHomeTelecomSimulator({ bankHolidays }), 'HOME_TELECOM_URL'),
      BROADBAND_DATABASE_URL: await listen(buildBroadbandDatabaseSimulator(), 'BROADBAND_DATABASE_URL'),
    }
    const lines = Object.entries(environment)
      .sort()
      .map(([name, value]) => {
        if (!/['\n]/.test(value)) return `${name}='${value}'`
        throw new CommandError(
          'rehearsal',
          `${name} must not contain quotes, because it is written into a file for shells.`,
        )
      })
    await writeFile(environmentFile, `${lines.join('\n')}\n`, { mode: 0o600 })
    const confirmScript = join(folder, names.confirm)
    await writeFile(confirmScript, confirming(environmentFile), { mode: 0o700 })
    return { environmentFile, confirmScript, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A certificate for this machine that is its own authority. */
async function makeCertificate(folder: string): Promise<void> {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '365']
  const subject = ['-subj', '/CN=Housebill rehearsal', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const files = ['-keyout', join(folder, names.key), '-out', join(folder, names.certificate)]
  await promisify(execFile)('openssl', [...args, ...subject, ...files]).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'rehearsal',
      `The certificate could not be made (${error.code ?? 'unknown'}). Install the program openssl, and check that the folder can be written to.`,
    )
  })
}

/** The state of the simulated processor is in tables, in a database of its own. */
async function openOwnDatabase(dataDir: string, log: Logger): Promise<OpenDatabase> {
  const environment = { DATA_DIR: dataDir }
  const config = buildConfig(environment)
  return openDatabase(config, await loadSecrets(environment, config.realm, config.dataDir), log)
}

/** The operator's own database, or another one on the server of the simulators' state. */
async function databaseSettings(given: Environment, opened: OpenDatabase): Promise<Record<string, string>> {
  const own = Object.fromEntries(
    allDatabaseUrls.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  if (own.DATABASE_URL !== undefined) return own
  const { ownerConnectionString, connectionString, systemConnectionString } = opened
  const name = 'rehearsal'
  await addDatabase(ownerConnectionString, name)
  const inDatabase = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  return {
    DATABASE_URL: inDatabase(connectionString),
    DATABASE_SYSTEM_URL: inDatabase(systemConnectionString),
    DATABASE_OWNER_URL: inDatabase(ownerConnectionString),
  }
}

async function serveOverTls(
  app: FastifyInstance,
  certificate: { cert: Buffer | undefined; key: Buffer | undefined },
  port: number,
): Promise<{ url: string; close(): Promise<unknown> }> {
  await app.ready()
  const server: Server = createServer({ ...certificate }, (request, response) => app.routing(request, response))
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening)
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await app.close()
    },
  }
}

/** The port that an earlier rehearsal in the folder used; otherwise any. */
function portOf(url: string | undefined): number {
  return Number(URL.parse(url ?? '')?.port ?? 0)
}

function confirming(environmentFile: string): string {
  return `#!/bin/sh
# Confirms a test card for the setup intent that is given, as the tenant's browser would with Stripe's card form.
set -eu
. '${environmentFile}'
exec curl --silent --show-error --fail-with-body --cacert "$NODE_EXTRA_CA_CERTS" --user "$STRIPE_SECRET_KEY:" \\
  --data payment_method=pm_card_visa "$STRIPE_API_BASE/v1/setup_intents/$1/confirm"
`
}
