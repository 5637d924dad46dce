import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get, type RequestOptions } from 'node:https'
import { connect as connectPlainly } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { createLogger } from '../../src/app/logger.ts'
import { ConfigurationError } from '../../src/platform/config/problems.ts'
import { connectPartner } from '../support/client.ts'
import { waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { attachCard, finalise, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { findFreePort, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const support = new URL('../support/', import.meta.url)
const folder = await mkdtemp(join(tmpdir(), 'housebill-tls-'))
const certFile = join(folder, 'certificate.pem')
const keyFile = join(folder, 'key.pem')
await copyFile(new URL('test-only-receiver-certificate.pem', support), certFile)
await copyFile(new URL('test-only-receiver-key.pem', support), keyFile)
const ca = await readFile(certFile)
const renewed = await readFile(new URL('test-only-renewed-certificate.pem', support))

const lines: string[] = []
const log = createLogger('info', { write: (line) => void lines.push(line) })
const port = await findFreePort()
const environment = {
  PORT: String(port),
  PUBLIC_URL: `https://localhost:${port}`,
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
}
const service = await startTestService(environment, { log, serverLimits: { headersMs: 3_000, checkEveryMs: 50 } })
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

interface Answer {
  status: number | undefined
  headers: NodeJS.Dict<string | string[]>
  body: string
}

function ask(path: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(
      new URL(path, `https://127.0.0.1:${port}`),
      { ca, agent: false, ...options },
      async (response) => {
        const chunks = await response.toArray()
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() })
      },
    )
    request.on('error', reject)
  })
}

/** The fingerprint of the certificate that a new connection gets. */
async function fingerprint(): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca: [ca, renewed], servername: 'localhost' })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** Connects with one version of TLS and some cipher suites; returns the negotiated version or the error code. */
async function agree(
  version: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3',
  // OpenSSL disables the old versions by default.
  ciphers = 'DEFAULT:@SECLEVEL=0',
): Promise<string | null> {
  const socket: TLSSocket = connect({
    host: '127.0.0.1',
    port,
    ca: [ca, renewed],
    servername: 'localhost',
    minVersion: version,
    maxVersion: version,
    ciphers,
  })
  try {
    await once(socket, 'secureConnect')
    return socket.getProtocol()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'rejected'
  } finally {
    socket.destroy()
  }
}

test('with a certificate, the service uses HTTPS, tells browsers to keep using HTTPS and enforces the same limits', async () => {
  const answer = await ask('/health/ready')
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['strict-transport-security']), /^max-age=/)
  const problem = await ask('/partner-api/Quotes')
  assert.equal(JSON.parse(problem.body).type, `https://localhost:${port}/docs/errors/unauthenticated`)
  assert.equal((await ask('/health/live', { headers: { 'X-Large': 'a'.repeat(16_400) } })).status, 431)
})

test('slow headers return 408 over TLS too', async () => {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write('GET / HTTP/1.1\r\n')
  await once(socket, 'close')
  assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 408 /)
})

test('TLS 1.2 and 1.3 are accepted, older versions are not', async () => {
  assert.equal(await agree('TLSv1.3'), 'TLSv1.3')
  assert.equal(await agree('TLSv1.2'), 'TLSv1.2')
  for (const old of ['TLSv1.1', 'TLSv1'] as const) assert.match(String(await agree(old)), /^E/)
})

/** Every weak suite of TLS 1.2 is rejected, and every good one is accepted. */
async function assertStrongSuitesOnly(): Promise<void> {
  const kind = new X509Certificate(ca).publicKey.asymmetricKeyType === 'rsa' ? 'RSA' : 'ECDSA'
  for (const good of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'])
    assert.equal(await agree('TLSv1.2', `ECDHE-${kind}-${good}`), 'TLSv1.2', good)
  for (const weak of [
    'AES128-GCM-SHA256',
    'AES256-SHA',
    `ECDHE-${kind}-AES128-SHA`,
    `ECDHE-${kind}-AES256-SHA384`,
    'DHE-RSA-AES128-GCM-SHA256',
  ])
    assert.match(String(await agree('TLSv1.2', `${weak}:@SECLEVEL=0`)), /^E/, weak)
}

test(
  'with TLS 1.2, only forward secrecy with authenticated encryption is accepted: no RSA key exchange, no CBC',
  assertStrongSuitesOnly,
)

test('plain HTTP is not accepted on the TLS port', async () => {
  const socket = connectPlainly(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => socket.destroy())
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'close')
  assert.doesNotMatch(Buffer.concat(chunks).toString('latin1'), /HTTP\/1\.1 200/)
})

test("the simulated processor's webhooks reach a sandbox that serves HTTPS", async () => {
  const usual = getGlobalDispatcher()
  const trusting = new Agent({ connect: { ca } })
  setGlobalDispatcher(trusting)
  try {
    const partner = await connectPartner(service.baseUrl, service.credentials)
    const { lead } = await startHousehold(partner, { tenants: 1, packages: ['gas'] })
    succeeded(await finalise(partner, lead))
    // While webhooks are late, the call below does not apply the outcome itself, so only the webhooks report it.
    succeeded(await partner.post('/Sandbox/payment-processor/webhooks', { delaySeconds: 1 }))
    await attachCard(partner, lead)
    await waitForPaymentStatus(partner, lead, 'ready')
  } finally {
    setGlobalDispatcher(usual)
    await trusting.destroy()
  }
})

test('SIGHUP reloads the files and keeps the rules for cipher suites; invalid ones leave the current certificate in use', async () => {
  const before = await fingerprint()
  const hangUp = async (message: string) => {
    lines.length = 0
    process.emit('SIGHUP')
    await waitFor(message, () => lines.some((line) => line.includes(message)))
  }
  await writeFile(keyFile, 'not a key')
  await hangUp('reloading the TLS certificate failed')
  assert.equal(
    lines.some((line) => line.includes('not a key')),
    false,
  )
  assert.equal(await fingerprint(), before)
  await copyFile(new URL('test-only-renewed-certificate.pem', support), certFile)
  await copyFile(new URL('test-only-renewed-key.pem', support), keyFile)
  await hangUp('TLS certificate reloaded')
  assert.equal(await fingerprint(), new X509Certificate(renewed).fingerprint256)
  assert.equal((await ask('/health/live', { ca: renewed })).status, 200)
  const { body: text } = await ask('/metrics', { ca: renewed })
  const [, seconds] = /^housebill_certificate_expires_seconds (\S+)$/m.exec(text) ?? []
  const left = (new X509Certificate(renewed).validToDate.getTime() - Date.now()) / 1_000
  assert.ok(Math.abs(Number(seconds) - left) < 3_600, `${seconds} ${left}`)
  await assertStrongSuitesOnly()
})

test('missing or mismatched files prevent startup and are named in the error', async () => {
  const start = (given: Record<string, string>) => startTestService({ ...environment, ...given })
  await assert.rejects(start({ TLS_CERT_FILE: join(folder, 'gone.pem') }), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError)
    assert.match(error.message, /TLS_CERT_FILE cannot be read \(ENOENT\)/)
    return true
  })
  await assert.rejects(
    start({ TLS_KEY_FILE: certFile }),
    /TLS_CERT_FILE and the key in TLS_KEY_FILE are not a usable pair/,
  )
})
