import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ageHashKeys } from '../support/ageing-keys.ts'
import { connectPartner } from '../support/client.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { startTestService } from '../support/service.ts'
import { openTerminal } from './serving-process.ts'

const service = await startTestService()
const stopAgeing = ageHashKeys(service)
after(async () => {
  await stopAgeing()
  await service.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const { lead } = await startHousehold(partner, { tenants: 1, reference: 'order 1' })
await onboard(partner, lead)

const ledger = join(service.config.dataDir, 'restored.jsonl')
const [unknown, at] = ['tenant_01m7w4kmmpf2288994r3wsyr86', '2026-11-20T09:00:00.000Z']
await writeFile(
  ledger,
  `${JSON.stringify({ customerId: unknown, partnerId: 'partner_01h455vb4pex5vsknk084sn02q', erasedAt: at, reason: 'requested' })}\n`,
)

/** What each command counts, and the end of its progress. */
const commands: readonly (readonly [command: string, shown: RegExp])[] = [
  ['keys replace hashes', /\d+ % {2}\d rows[\s\S]*2 rows are hashed/],
  [`customers erase --replay ${ledger}`, /100 % {2}1 entries[\s\S]*Unknown here: 1/],
]

for (const [command, shown] of commands) {
  test(`${command} shows how far it is on a terminal`, async (t) => {
    const environment = { ...service.environment, TERM: 'xterm' }
    const terminal = openTerminal(t, `${process.execPath} bin/housebill.js ${command}`, environment)
    assert.equal(await terminal.ended, 0, await terminal.printed(/^/))
    assert.match(await terminal.printed(/^/), shown)
  })
}
