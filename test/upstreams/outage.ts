import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '../../src/compose/logger.ts'
import type { Failure } from '../adapters/failure-scripts.ts'
import type { Script, SecureScriptedServer } from '../adapters/scripted-server.ts'
import type { Answer } from '../support/client.ts'
import type { Asker, FailedBy, Question, SeenUpstream } from './questions.ts'

/** An upstream as partners see it, the server in its place, and what that answers while it is well. */
export interface UpstreamUnderTest {
  seen: SeenUpstream
  server: SecureScriptedServer
  well: Script
}

/**
 * As short as is safe where a machine stands still for a second or two: upstreams that are well are held to them too. How long
 * an open breaker waits is passed by the clock below.
 */
export const outageLimits = {
  connectMs: 2_500,
  attemptMs: 2_500,
  deadlineMs: 6_000,
  maxBytes: 64 * 1024,
  retries: 0,
  failuresToOpen: 2,
  halfOpenAfterMs: 60_000,
}
/** An answer's part that is not waiting for the upstream, on a machine that has much else to do. */
const slackMs = 2_000

/** What the log has told of circuit breakers, and the clock that opens and closes them: it stands still unless it is moved. */
export function watchBreakers() {
  const told: string[] = []
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  return {
    log: createLogger('info', {
      write(line: string) {
        const { upstream, breaker, level } = JSON.parse(line)
        if (level === 'info' && breaker !== undefined) told.push(`${upstream} ${breaker}`)
      },
    }),
    passSeconds: (seconds: number) => mock.timers.setTime(Date.now() + seconds * 1_000),
    /** Waits for news that nobody has asked for yet, where there are none; not for ever. */
    async somethingTold() {
      for (let waits = 0; told.length === 0 && waits < 200; waits += 1) await sleep(10)
    },
    /** Since this was asked last. */
    news: () => told.splice(0),
  }
}

export interface Outage {
  failing: UpstreamUnderTest
  others: readonly UpstreamUnderTest[]
  failure: Failure
  /** As many as open a breaker, who ask while the upstream fails. */
  askers: readonly Asker[]
  neighbour: Asker
  breakers: ReturnType<typeof watchBreakers>
}

/**
 * One upstream fails in one way: every answer is right and in time, nothing is half-done; the breaker opens, so that the next
 * partner is told at once and the upstream is not asked; everything that needs other upstreams works; and when it is
 * well again it is asked once to see, and the very questions that failed are answered whole.
 */
export async function proveOutage(outage: Outage): Promise<void> {
  const { failing, failure, askers, neighbour, breakers } = outage
  const { seen, server, well } = failing
  const questions = await Promise.all([...askers, neighbour].map((asker) => seen.newQuestion(asker)))
  breakers.news()
  server.requests.length = 0
  await failure.begin(server)
  let proven = false
  try {
    await proveFailure(outage, questions)
    proven = true
  } finally {
    await failure.end(server)
    server.answerWith(well)
    breakers.passSeconds(61)
    if (!proven) await closeBreakers(outage)
  }
  for (const [place, question] of questions.entries()) {
    await seen.assertWhole(await question())
    if (place === 0) assert.deepEqual(breakers.news(), [`${seen.name} half-open`, `${seen.name} closed`])
  }
  assert.ok(!server.requests.some(({ url }) => url === '/elsewhere'), 'the redirect was followed')
}

/** `questions`: one of each asker, and the neighbour's, who asks when the breaker is open. */
async function proveFailure(outage: Outage, questions: readonly Question[]): Promise<void> {
  const { failing, others, failure, neighbour, breakers } = outage
  const { seen, server } = failing
  const [next = assert.fail('nobody is left to ask'), ...first] = questions.toReversed()
  const before = await seen.kept()
  const startedAt = performance.now()
  const answers =
    seen.asksOnce === true
      ? await askOneByOne(first, () => breakers.passSeconds(31))
      : await Promise.all(first.map((question) => question()))
  const took = performance.now() - startedAt
  assert.ok(took < first.length * outageLimits.deadlineMs + slackMs, `${took} ms`)
  for (const answer of answers) seen.assertFailed(answer, failedBy(failure))
  assert.deepEqual(await seen.kept(), before)
  // A call that ran out of time is answered at its deadline, and counted as soon as its last try has ended.
  await breakers.somethingTold()
  assert.deepEqual(breakers.news(), [`${seen.name} open`])

  if (failure.asksNothing) assert.equal(server.requests.length, 0)

  await proveLeftAlone(outage, next)
  await Promise.all(others.map((other) => other.seen.assertUnaffected(neighbour)))
  assert.deepEqual(breakers.news(), [])
  if (failure.name === 'status 500') await proveLookedAfter(outage, next)
}

/** So that a case that fails does so alone, instead of leaving to all that follow a breaker that is open. */
async function closeBreakers({ failing, others, neighbour }: Outage): Promise<void> {
  for (const { seen } of [failing, ...others]) {
    const question = await seen.newQuestion(neighbour)
    await question()
  }
}

/** Whoever asks is told at once, and nothing is sent. */
async function proveLeftAlone({ failing: { seen, server }, breakers }: Outage, question: Question): Promise<void> {
  server.requests.length = 0
  breakers.passSeconds(10)
  seen.assertFailed(await question(), { kind: 'left-alone' })
  assert.equal(server.requests.length, 0)
}

/** After a while one question is let through to see; where that fails too, all others are told at once as before. */
async function proveLookedAfter(outage: Outage, question: Question): Promise<void> {
  const { failing, failure, breakers } = outage
  const { seen, server } = failing
  breakers.passSeconds(61)
  seen.assertFailed(await question(), failedBy(failure))
  assert.ok(server.requests.length > 0)
  assert.deepEqual(breakers.news(), [`${seen.name} half-open`, `${seen.name} open`])
  await proveLeftAlone(outage, question)
}

async function askOneByOne(questions: readonly Question[], beforeEach: () => void): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const question of questions) {
    beforeEach()
    answers.push(await question())
  }
  return answers
}

function failedBy({ kind, retryAfterSeconds }: Failure): FailedBy {
  return { kind, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}
