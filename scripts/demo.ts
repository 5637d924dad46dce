import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, openSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { allVariables, variableNames } from '../src/platform/config/env.ts'
import { type DemoPartner, makeDemo, rejectedDomain } from './demo/make-households.ts'

/*
 * `npm run demo`: a sandbox with 200 invented households in every state, which serves until it is stopped. Its data has
 * a folder of its own; a later start with the same folder goes on with it.
 */

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'demo-data' },
    households: { type: 'string', default: '200' },
  },
})
const folder = resolve(values.data)
const doneFile = join(folder, 'demo.json')
const logFile = join(folder, 'service.log')
const bin = fileURLToPath(new URL('../bin/housebill.js', import.meta.url))

/** What the sandbox is started with. The settings of another deployment that this shell may have are left out. */
async function environmentOf(mailPort: number): Promise<NodeJS.ProcessEnv> {
  const names = new Set<string>(variableNames)
  const kept = Object.entries(allVariables()).filter(([name]) => !names.has(name) || ['HOST', 'PORT'].includes(name))
  return {
    ...Object.fromEntries(kept),
    ...{ DATA_DIR: folder, LOG_LEVEL: 'error', BROADBAND_CHECK_LIMIT_PER_MINUTE: '0', RATE_LIMIT_PER_SECOND: '0' },
    ...{ SMTP_URL: `smtp://127.0.0.1:${mailPort}`, MAIL_FROM: 'bills@example.com' },
  }
}

/** A mail server that writes each e-mail to a file, and rejects the addresses of one domain. */
async function startMailServer(): Promise<{ port: number; stop: () => Promise<void> }> {
  const mails = join(folder, 'mails')
  await mkdir(mails, { recursive: true, mode: 0o700 })
  let received = 0
  const server = new SMTPServer({
    ...{ authOptional: true, disableReverseLookup: true, disabledCommands: ['STARTTLS'] },
    onRcptTo({ address }, _session, callback) {
      const isRejected = address.endsWith(`@${rejectedDomain}`)
      callback(isRejected ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : undefined)
    },
    onData(stream, _session, callback) {
      received += 1
      const file = join(mails, `${Date.now()}-${received}.eml`)
      pipeline(stream, createWriteStream(file, { mode: 0o600 })).then(() => callback(), callback)
    },
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.server.address() as AddressInfo
  return { port, stop: () => new Promise((stopped) => server.close(() => stopped())) }
}

interface Done {
  households: number
  partners: DemoPartner[]
}

async function readDone(): Promise<Done | undefined> {
  const text = await readFile(doneFile, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Runs a command of Housebill, and returns the JSON that it prints. */
async function run<Printed>(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Printed> {
  const child = spawn(process.execPath, [bin, ...args], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] })
  const [chunks, [code]] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
  if (code !== 0) throw new Error(`housebill ${args[0]} ${args[1]} failed with code ${code}`)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function describeDone({ households, partners }: Done, publicUrl: string): string {
  return [
    '',
    `The demo has ${households} households of ${partners.map(({ name }) => name).join(' and ')}. Choose who you are:`,
    `  Workplace      ${publicUrl}/workplace`,
    `  Desk           ${publicUrl}/desk`,
    `  Developers     ${publicUrl}/workplace/developers`,
    ...partners.flatMap(({ name, clientId, clientSecret }) => [
      `    ${name}: client id ${clientId}, client secret ${clientSecret}`,
    ]),
    `  E-mails        ${join(folder, 'mails')} (the last are sent within minutes)`,
    `  Data           ${folder} (delete this folder to start over)`,
    '',
    'Stop with Ctrl-C.',
  ].join('\n')
}

const done = await readDone()
// Without the file, an earlier run did not end: what it made is incomplete.
if (done === undefined) await rm(folder, { recursive: true, force: true })
const mailServer = await startMailServer()
const environment = await environmentOf(mailServer.port)
// In a process group of its own, so that it is stopped once, by this program.
const log = openSync(logFile, 'w', 0o600)
const sandbox = spawn(process.execPath, [bin, 'serve', '--json'], {
  env: environment,
  detached: true,
  stdio: ['ignore', 'pipe', log],
})
const ended = once(sandbox, 'close')
const stop = () => void sandbox.kill('SIGTERM')
process.on('SIGINT', stop).on('SIGTERM', stop)
try {
  const lines = createInterface(sandbox.stdout as Readable)[Symbol.asyncIterator]()
  const { value = '{}' } = await lines.next()
  const { publicUrl } = JSON.parse(value) as { publicUrl?: string }
  if (publicUrl === undefined) throw new Error(`The sandbox did not start. ${await readFile(logFile, 'utf8')}`)
  console.log(describeDone(done ?? (await make(publicUrl)), publicUrl))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
  stop()
}
await ended
await mailServer.stop()

async function make(publicUrl: string): Promise<Done> {
  const begun = performance.now()
  const say = (what: string) =>
    console.error(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${what}`)
  say('the sandbox is ready')
  const args = ['operator', 'create', '--name', 'demo', '--scopes', 'partners:read,partners:write', '--json']
  const operator = await run<{ clientId: string; clientSecret: string }>(environment, ...args)
  const { partners, households } = await makeDemo({ baseUrl: publicUrl, operator }, Number(values.households), say)
  const made = { households: households.length, partners }
  await writeFile(doneFile, JSON.stringify(made), { mode: 0o600 })
  return made
}
