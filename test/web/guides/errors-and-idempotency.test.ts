import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../clients/typescript/src/errors.ts'
import { defaultRetryPolicy, pauseBeforeRetry } from '../../../clients/typescript/src/retry.ts'
import { partnerErrorResponses } from '../../../src/app/http/error-responses.ts'
import { connectPartner } from '../../support/client.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { atService, openShell, openShellAfterQuickstart, readGuide, stepsOf } from './guide-shell.ts'

const service = await shareTestService()

for (const name of ['errors-and-retries', 'idempotency', 'sell-without-screens'])
  test(`following docs/${name}.md word for word after the quickstart prints what it says`, async (t) => {
    const shell = await openShellAfterQuickstart(t, service)
    const steps = stepsOf(await readGuide(name))
    assert.ok(steps.length > 0)
    for (const step of steps) await shell.follow(step)
  })

test('following the first outcome in docs/sandbox.md word for word, in a sandbox that runs, prints what it says', async (t) => {
  const [beginning = ''] = (await readGuide('sandbox')).split('## Every outcome')
  const shell = await openShell(t)
  const [start, ...steps] = stepsOf(atService(beginning, service))
  assert.match(start?.commands ?? '', /npm start/)
  assert.equal(steps.filter(({ printed }) => printed !== undefined).length, 4)
  for (const step of steps) await shell.follow(step)
})

test('the guide to errors and our client agree for every error code on whether to repeat the call', async () => {
  const guide = await readGuide('errors-and-retries')
  const rows = [...guide.matchAll(/^\| ([\d, ]+) \| (yes|no|once) \|/gm)]
  const advice = new Map(
    rows.flatMap(([, statuses = '', repeat]) => statuses.split(', ').map((each) => [Number(each), repeat])),
  )
  type Code = keyof typeof partnerErrorResponses
  const codes = Object.entries(partnerErrorResponses) as [Code, (typeof partnerErrorResponses)[Code]][]
  for (const [code, { status, title }] of codes) {
    const problem = { type: '', title, status, detail: '', code, requestId: '' }
    const error = new ApiError(problem, { operationId: 'createQuote', status })
    const isRepeated = pauseBeforeRetry(error, 0, defaultRetryPolicy, 0.5) !== undefined
    // The client replaces a token before it decides about a retry.
    assert.equal(advice.get(status), status === 401 ? 'once' : isRepeated ? 'yes' : 'no', code)
  }
})

test('the example of an error is what the service returns', async () => {
  const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(await readGuide('errors-and-retries')) ?? []
  const expected = JSON.parse(example)
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { quoteId } = await createQuote(partner)
  const tenants = [{ name: 'Ada Lovelace', email: 'ada' }]
  const { body } = await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants })
  const { requestId } = body as { requestId: string }
  assert.deepEqual(body, {
    ...expected,
    requestId,
    type: expected.type.replace('http://localhost:8080', service.baseUrl),
  })
})
