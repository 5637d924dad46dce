import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { runCampaign } from './campaign.ts'
import { campaignProblems, describeFinding, describeReport } from './verdict.ts'

test('every operation responds as documented to odd and broken requests in every state', async (t) => {
  const seed = campaignSeed()
  const requests = wholeNumberFromEnv('REQUESTS') ?? (isFullSize ? 20_000 : 1_100)
  const only = wholeNumberFromEnv('ONLY')
  t.diagnostic(`SEED=${seed} REQUESTS=${requests}`)
  const report = await runCampaign({ seed, requests, only })
  for (const line of describeReport(report).split('\n')) t.diagnostic(line)
  const findings = report.findings.map((finding) => describeFinding(finding, seed))
  assert.deepEqual(findings, [], findings.join('\n'))
  if (only === undefined) assert.deepEqual(campaignProblems(report), [])
})
