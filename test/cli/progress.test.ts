import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { prepareEnvironment } from './cli-fixture.ts'
import { openTerminal } from './serving-process.ts'

const { environment, folder, drop } = await prepareEnvironment()
after(drop)

const ledger = join(folder, 'restored.jsonl')
const [unknown, at] = ['tenant_01m7w4kmmpf2288994r3wsyr86', '2026-11-20T09:00:00.000Z']
await writeFile(
  ledger,
  `${JSON.stringify({ customerId: unknown, partnerId: 'partner_01h455vb4pex5vsknk084sn02q', erasedAt: at, reason: 'requested' })}\n`,
)

test('customers erase --replay shows how far it is on a terminal', async (t) => {
  const command = `${process.execPath} bin/housebill.js customers erase --replay ${ledger}`
  const terminal = openTerminal(t, command, { ...environment, TERM: 'xterm' })
  assert.equal(await terminal.ended, 0, await terminal.printed(/^/))
  assert.match(await terminal.printed(/^/), /100 % {2}1 entries[\s\S]*Unknown here: 1/)
})
