import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { connectNewPartner } from '../../support/partners.ts'
import { testTime } from '../../support/quote-fixtures.ts'
import { movableClock, startTestService } from '../../support/service.ts'
import { respondToEvents, startReceiver } from '../../webhooks/receiver-fixture.ts'
import { errorsAndWebhooks } from './errors-and-webhooks.ts'
import { homesAndQuotes } from './homes-and-quotes.ts'
import type { Outcomes } from './outcome.ts'
import { payments } from './payments.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' }, { clock: movableClock(testTime) })
after(() => service.stop())

const outcomes: Outcomes = { ...homesAndQuotes, ...payments, ...errorsAndWebhooks }
const page = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('\n## Every outcome\n')
const [table = ''] = section.split('\n## ')
const rows = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].map(([, outcome = '']) => outcome).slice(1)

test('every row of the table of outcomes in docs/sandbox.md has a test here, and every test a row', () => {
  assert.deepEqual(rows, Object.keys(outcomes))
})

for (const [outcome, rehearse] of Object.entries(outcomes)) {
  test(`a partner can cause this alone: ${outcome}`, async (t) => {
    const partner = await connectNewPartner(service)
    const receiver = await startReceiver(
      t,
      respondToEvents((_received, response) => response.writeHead(500).end()),
    )
    await rehearse({ partner, service, receiver })
  })
}
