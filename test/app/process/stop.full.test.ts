import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  type BreakableUpstreams,
  checkedUpstreams,
  healthyResponses,
  startBreakableUpstreams,
} from '../../broadband/breakable-upstreams.ts'
import { connectPartner, type Partner } from '../../support/client.ts'
import { succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { findFreePort } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

/*
 * These tests start one deployment with a private database, stop it during requests, and start it again with the same
 * DATA_DIR. Each test builds on the previous ones.
 */

const checkedHome = ordinaryProperty(1).addressUid
const quick = ordinaryProperty().addressUid
let upstreams: BreakableUpstreams
let dataDir: string
let port: number
let service: ServiceProcess
let credentials: { clientId: string; clientSecret: string }
let partner: Partner
let quoteId: string

async function start(): Promise<ServiceProcess> {
  return startServiceProcess({
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    HOME_TELECOM_URL: upstreams.homeTelecom.baseUrl,
    BROADBAND_DATABASE_URL: upstreams.broadbandDatabase.baseUrl,
  })
}

before(async () => {
  upstreams = await startBreakableUpstreams()
  dataDir = await mkdtemp(join(tmpdir(), 'housebill-stop-'))
  // If the tests run as root, PostgreSQL runs as another user, who must be able to traverse this folder.
  await chmod(dataDir, 0o711)
  port = await findFreePort()
  service = await start()
  credentials = { clientId: service.clientId, clientSecret: service.clientSecret ?? '' }
  partner = await connectPartner(service.baseUrl, credentials)
})
after(async () => {
  service.signal('SIGKILL')
  await service.ended
  for (const half of checkedUpstreams) await upstreams[half].close()
  await rm(dataDir, { recursive: true, force: true })
})

/** Opens a keep-alive connection by hand and collects everything it receives. */
async function openConnection(): Promise<{ socket: Socket; send(path: string): void; received: Promise<string> }> {
  const { hostname, port } = new URL(service.baseUrl)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const received = new Promise<string>((resolve, reject) => {
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  const send = (path: string) =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${partner.token}\r\n\r\n`)
  return { socket, send, received }
}

test('after SIGTERM, the service finishes current requests, serves later ones on the same connections and exits with 0', async () => {
  quoteId = succeeded(await partner.post('/Quotes', { addressUid: quick, reference: 'kept' })).quoteId
  assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 200)
  const checkPath = `/Quotes/run-broadband-availability-check/${checkedHome}` as const
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  for (const half of checkedUpstreams)
    upstreams[half].respondWith(
      (request, response) => void released.then(() => healthyResponses[half](request, response)),
    )
  const slow = Promise.all([1, 2, 3].map(() => partner.get(checkPath)))
  const byHand = await openConnection()
  byHand.send(`/partner-api${checkPath}`)
  const silent = await openConnection()
  for (const half of checkedUpstreams)
    await waitFor('four checks are under way', () => upstreams[half].requests.length >= 4)

  service.signal('SIGTERM')
  await waitFor('stopping has been logged', () => service.log.some(({ msg }) => msg === 'stopping'))
  await waitFor('no new connection is accepted', () =>
    fetch(`${service.baseUrl}/health/live`).then(
      () => false,
      () => true,
    ),
  )
  byHand.send('/health/ready')
  release()

  for (const answer of await slow) assert.equal(succeeded(answer).available, true)
  const [checked = '', readiness = ''] = (await byHand.received).split(/(?<=\})(?=HTTP\/1\.1)/)
  assert.match(checked, /^HTTP\/1\.1 200 /)
  assert.match(checked, /"available":true/)
  assert.match(readiness, /^HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*\{"status":"stopping"\}$/i)
  assert.equal(await silent.received, '', 'an idle connection is closed')

  assert.equal(await service.ended, 0)
  // Ignore earlier entries: on a busy machine, some may correctly warn that connections were opened too late.
  const ofTheStop = service.log.slice(service.log.findIndex(({ msg }) => msg === 'stopping'))
  assert.equal(ofTheStop[0]?.msg, 'stopping')
  assert.deepEqual(
    ofTheStop.filter(({ level }) => level !== 'info'),
    [],
  )
  assert.equal(service.log.at(-1)?.msg, 'stopped')
})

test('a restart with the same DATA_DIR keeps credentials, tokens and quotes', async () => {
  service = await start()
  assert.equal(service.clientId, credentials.clientId)
  assert.equal(service.clientSecret, undefined, 'the secret is shown once')
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).reference, 'kept')
  partner = await connectPartner(service.baseUrl, credentials)
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).reference, 'kept')
})

test('kill -9 after responses were sent loses none of their data, and the next start reuses the database', async () => {
  const headers = { 'Idempotency-Key': 'before-the-kill' }
  const body = { addressUid: quick, reference: 'before the kill' }
  const made = await partner.post('/Quotes', body, { headers })
  succeeded(made)
  service.signal('SIGKILL')
  assert.equal(await service.ended, 'SIGKILL')

  service = await start()
  const replayed = await partner.post('/Quotes', body, { headers })
  assert.equal(replayed.text, made.text)
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
})

test('Ctrl-C stops the service as SIGTERM does', async () => {
  service.signal('SIGINT')
  assert.equal(await service.ended, 0)
  assert.equal(service.log.at(-1)?.msg, 'stopped')
})
