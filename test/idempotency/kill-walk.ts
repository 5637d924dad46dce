import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceProcess, startServiceProcess } from '../app/process/service-process.ts'
import { connectPartner, partnerWithToken } from '../support/client.ts'
import { callEveryOperation, isPost, type SendRequest } from '../support/every-operation.ts'
import { expireClaims } from '../support/expired-claims.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { findFreePort } from '../support/service.ts'
import { countWrittenRows, startCountingWrittenRows } from '../support/written-rows.ts'
import { filterEffects } from './effects.ts'
import { openConnections, type SameKeyResponse, sendAtOnce } from './same-key.ts'
import { countEffectsOfSingleRequests, sendOnce } from './storm.ts'

export interface KillReport {
  kills: number
  /** How many of the killed operations had returned a success before the kill. */
  acknowledged: number
  /** How many responses, whatever their status, arrived before the kills. */
  answers: number
}

export interface KillPlan {
  /** The operations during which the process is killed; all others are sent once. */
  isKilled: (operationId: string) => boolean
  /** The time between sending the requests and killing the process, in milliseconds. */
  killAfterMs: (operationId: string) => number
  /** How many requests with the same key are running when the process is killed. */
  atOnce: number
}

const credentials = { clientId: 'sb_killed_while_asked', clientSecret: 'killed-in-a-test' }

/**
 * For every POST operation, kills the service (kill -9) while requests with one key are running, restarts it and sends
 * the request again. Fails unless each operation had the effects of a single request and every response from before the
 * kill is returned again.
 */
export async function killDuringEveryPost({ isKilled, killAfterMs, atOnce }: KillPlan): Promise<KillReport> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-same-key-'))
  const port = await findFreePort()
  const report: KillReport = { kills: 0, acknowledged: 0, answers: 0 }
  const start = () =>
    startServiceProcess({
      DATABASE_URL: database.connectionString,
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SANDBOX_CLIENT_ID: credentials.clientId,
      SANDBOX_CLIENT_SECRET: credentials.clientSecret,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    })
  let service: ServiceProcess = await start()
  const { baseUrl } = service
  let connections = openConnections(baseUrl)
  try {
    await startCountingWrittenRows(database.connectionString)
    const { token } = await connectPartner(baseUrl, credentials)

    const killDuring = async (
      operationId: string,
      sending: Promise<SameKeyResponse[]>,
    ): Promise<string | undefined> => {
      await sleep(killAfterMs(operationId))
      service.signal('SIGKILL')
      assert.equal(await service.ended, 'SIGKILL')
      const answered = (await sending).filter(({ status }) => status !== undefined)
      report.kills += 1
      report.answers += answered.length
      const successes = new Set(answered.filter(({ status }) => status === 200).map(({ text }) => text))
      assert.ok(successes.size <= 1, `${operationId}: the responses before the kill differ`)
      const [text] = successes
      if (text !== undefined) report.acknowledged += 1
      await connections.destroy()
      service = await start()
      connections = openConnections(baseUrl)
      await expireClaims(database.connectionString)
      return text
    }

    const once = sendOnce(partnerWithToken(baseUrl, token))
    const send: SendRequest = async (valid) => {
      const { route, path, body } = valid
      if (!isPost(route)) return once(valid)
      const { operationId } = route
      const request = { path, body, key: `killed-in-${operationId}`, token }
      let before: string | undefined
      if (isKilled(operationId))
        before = await killDuring(operationId, sendAtOnce(connections, { ...request, count: atOnce }))
      const [answer] = await sendAtOnce(connections, { ...request, count: 1 })
      assert.equal(answer?.status, 200, `${operationId} after the kill: ${answer?.text}`)
      if (before !== undefined)
        assert.equal(answer?.text, before, `${operationId}: a different response after the kill`)
      return JSON.parse(answer?.text ?? '')
    }
    await callEveryOperation(send, once)
    assert.deepEqual(
      insertedAmong(await countWrittenRows(database.connectionString)),
      insertedAmong(new Map(Object.entries(await countEffectsOfSingleRequests()))),
      'effects',
    )
    return report
  } finally {
    service.signal('SIGKILL')
    await service.ended
    await connections.destroy()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * Keeps only inserted rows and increased counters. If an attempt is killed after its call to the processor, it leaves a
 * mark in the customer's row, and the next attempt writes that mark again; such updates are not counted.
 */
function insertedAmong(written: ReadonlyMap<string, number>): Record<string, number> {
  const effects = Object.entries(filterEffects(written))
  return Object.fromEntries(
    effects.filter(([what]) => / (INSERT|DELETE)$/.test(what) || what === 'public.partners UPDATE'),
  )
}
