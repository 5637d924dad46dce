import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callEveryPost, type SendPost } from '../operations/http/every-post.ts'
import { type ServiceProcess, startProcess } from '../operations/process/service-process.ts'
import { cheapenSecret } from '../support/cheap-secret.ts'
import { connectPartner, partnerWithToken } from '../support/client.ts'
import { expireClaims } from '../support/expired-claims.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { freePort } from '../support/service.ts'
import { countWrittenRows, writtenRows } from '../support/written-rows.ts'
import { effectsAmong } from './effects.ts'
import { openConnections, type SameKeyAnswer, sendAtOnce } from './same-key.ts'
import { effectsOfSingleRequests } from './storm.ts'

export interface KillReport {
  kills: number
  /** Operations that had been answered before the kill came, with how many answers in all. */
  acknowledged: number
  answers: number
}

export interface KillPlan {
  /** Which operations the process is killed in; all others are sent once. */
  isKilled: (operationId: string) => boolean
  /** How long after the requests went out, in milliseconds. */
  killAfterMs: (operationId: string) => number
  /** How many requests with the same key are under way when it is killed. */
  atOnce: number
}

const credentials = { clientId: 'sb_killed_while_asked', clientSecret: 'killed-in-a-test' }

/**
 * Goes through every POST operation with the service in a process of its own, killed by kill -9 while requests with one key
 * are under way, started again and asked again. Fails unless each had the effects of a single request, in the end, and an
 * answer that was given before the kill is the answer afterwards.
 */
export async function killInEveryPost({ isKilled, killAfterMs, atOnce }: KillPlan): Promise<KillReport> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-same-key-'))
  const port = await freePort()
  const report: KillReport = { kills: 0, acknowledged: 0, answers: 0 }
  const start = () =>
    startProcess({
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
    await cheapenSecret(database.connectionString, credentials)
    await countWrittenRows(database.connectionString)
    const { token } = await connectPartner(baseUrl, credentials)

    const killDuring = async (operationId: string, sending: Promise<SameKeyAnswer[]>): Promise<string | undefined> => {
      await sleep(killAfterMs(operationId))
      service.signal('SIGKILL')
      assert.equal(await service.ended, 'SIGKILL')
      const answered = (await sending).filter(({ status }) => status !== undefined)
      report.kills += 1
      report.answers += answered.length
      const successes = new Set(answered.filter(({ status }) => status === 200).map(({ text }) => text))
      assert.ok(successes.size <= 1, `${operationId}: the answers before the kill differ`)
      const [text] = successes
      if (text !== undefined) report.acknowledged += 1
      await connections.destroy()
      service = await start()
      connections = openConnections(baseUrl)
      await expireClaims(database.connectionString)
      return text
    }

    const post: SendPost = async (operationId, path, body) => {
      const request = { path, body, key: `killed-in-${operationId}`, token }
      let before: string | undefined
      if (isKilled(operationId))
        before = await killDuring(operationId, sendAtOnce(connections, { ...request, count: atOnce }))
      const [answer] = await sendAtOnce(connections, { ...request, count: 1 })
      assert.equal(answer?.status, 200, `${operationId} after the kill: ${answer?.text}`)
      if (before !== undefined) assert.equal(answer?.text, before, `${operationId}: another answer after the kill`)
      return JSON.parse(answer?.text ?? '')
    }
    await callEveryPost(partnerWithToken(baseUrl, token), post)
    assert.deepEqual(
      insertedAmong(await writtenRows(database.connectionString)),
      insertedAmong(new Map(Object.entries(await effectsOfSingleRequests()))),
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
 * What was made and what was counted up. An attempt that was killed after it had asked the processor leaves a mark in the customer's row, and
 * the next one leaves it again: such updates are no effect.
 */
function insertedAmong(written: ReadonlyMap<string, number>): Record<string, number> {
  const effects = Object.entries(effectsAmong(written))
  return Object.fromEntries(
    effects.filter(([what]) => / (INSERT|DELETE)$/.test(what) || what === 'public.partners UPDATE'),
  )
}
