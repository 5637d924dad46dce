import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { runCampaign } from './campaign.ts'
import { describeFinding, describeReport, shortcomings } from './verdict.ts'

test('every operation, when odd and broken requests meet it in every state, answers as documented and memory stays flat', async (t) => {
  const seed = campaignSeed()
  const requests = wholeNumberFromEnv('REQUESTS') ?? (isFullSize ? 20_000 : 800)
  const only = wholeNumberFromEnv('ONLY')
  t.diagnostic(`SEED=${seed} REQUESTS=${requests}`)
  const report = await runCampaign({ seed, requests, only })
  for (const line of describeReport(report).split('\n')) t.diagnostic(line)
  const findings = report.findings.map((finding) => describeFinding(finding, seed))
  assert.deepEqual(findings, [], findings.join('\n'))
  if (only === undefined) assert.deepEqual(shortcomings(report), [])
})
