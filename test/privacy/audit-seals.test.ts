import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAuditLab, partnerIds } from './audit-lab.ts'

test('entries are sealed per partner in a chain, and verify says how many are not sealed yet', async (t) => {
  const lab = await openAuditLab(t)
  await lab.seal()
  assert.partialDeepStrictEqual(await lab.verify(), { problems: [], sealed: [1, 1], unsealed: [0, 0] })
  await lab.rename('partner_b')
  assert.partialDeepStrictEqual(await lab.verify(), { problems: [], sealed: [1, 1], unsealed: [0, 1] })
  const kept = await lab.heads()
  await lab.seal()
  assert.partialDeepStrictEqual(await lab.verify(kept), { problems: [], sealed: [1, 2], unsealed: [0, 0] })
  const seals = await lab.rows('select partner_id, seal_number::int from audit_seals order by 1, 2')
  assert.deepEqual(
    seals.map(({ partner_id: partnerId, seal_number: number }) => `${partnerId} ${number}`),
    ['partner_a 1', 'partner_b 1', 'partner_b 2'],
  )
})

test('an entry waits to be sealed until every older transaction has ended, so that nothing is added behind a seal', async (t) => {
  const lab = await openAuditLab(t)
  await lab.seal()
  const slow = await lab.connect()
  await slow.query('begin')
  await lab.rename('partner_a', slow)
  await lab.rename('partner_b')
  await lab.sealOnce()
  assert.deepEqual((await lab.verify()).unsealed, [0, 1])
  await slow.query('commit')
  await lab.seal()
  assert.partialDeepStrictEqual(await lab.verify(), { problems: [], sealed: [2, 2], unsealed: [0, 0] })
})

const tamperings: Record<string, string> = {
  'an entry that was changed': `update audit_log set actor = 'worker' where partner_id = 'partner_a'`,
  'the time of an entry': `update audit_log set at = at - interval '1 hour' where partner_id = 'partner_a'`,
  'an entry that was removed': `delete from audit_log where partner_id = 'partner_a'`,
  'an entry that was added behind a seal': `insert into audit_log (partner_id, actor, action, subject_type, subject_id, transaction_id)
    select partner_id, 'worker', 'changed', 'partner', partner_id, transaction_id from audit_log where partner_id = 'partner_a'`,
  'an entry that was moved to another partner': `update audit_log set partner_id = 'partner_b' where partner_id = 'partner_a'`,
}

for (const [what, statement] of Object.entries(tamperings)) {
  test(`verify finds ${what} by the owner of the database`, async (t) => {
    const lab = await openAuditLab(t)
    await lab.seal()
    await lab.tamper(statement)
    const { problems } = await lab.verify()
    assert.match(problems[0] ?? '', /^partner_a: The \d entries of seal 1 are not the 1 that were sealed/)
  })
}

test('if the owner alters an entry and rebuilds the chain, verify fails against a kept head and only against that', async (t) => {
  const lab = await openAuditLab(t)
  await lab.rename('partner_a')
  await lab.seal()
  const kept = await lab.heads()
  await lab.tamper(`update audit_log set actor = 'worker' where action = 'changed'`)
  await lab.rows('delete from audit_seals')
  await lab.rows(`update audit_epochs set sealed_below = '0'`)
  await lab.seal()
  assert.deepEqual((await lab.verify()).problems, [])
  assert.deepEqual((await lab.verify(kept)).problems, [
    'partner_a: Seal 1 is missing or differs from the one that was kept.',
  ])
})

test('verify fails if the owner alters an entry and rebuilds its seal, but not the seals after it', async (t) => {
  const lab = await openAuditLab(t)
  await lab.seal()
  await lab.rename('partner_a')
  await lab.seal()
  await lab.tamper(`update audit_log set actor = 'worker' where partner_id = 'partner_a' and action = 'created'`)
  await lab.rows(
    `update audit_seals s
        set hash = sha256(sha256(convert_to('partner_a 1', 'UTF8')) || sha256(convert_to(audit_entry_text(l), 'UTF8')))
       from audit_log l
      where s.partner_id = 'partner_a' and s.seal_number = 1 and l.partner_id = 'partner_a' and l.action = 'created'`,
  )
  assert.deepEqual((await lab.verify()).problems, ['partner_a: Seal 2 does not continue seal 1.'])
})

test('verify fails if seals were removed, and if a kept head is newer than the chain', async (t) => {
  const lab = await openAuditLab(t)
  for (const _ of [1, 2]) {
    await lab.seal()
    await lab.rename('partner_a')
  }
  await lab.seal()
  const kept = await lab.heads()
  await lab.rows(`delete from audit_seals where partner_id = 'partner_a' and seal_number = 2`)
  assert.deepEqual((await lab.verify()).problems, ['partner_a: Seals are missing between 1 and 3.'])
  await lab.rows(`delete from audit_seals where partner_id = 'partner_a' and seal_number = 1`)
  assert.deepEqual((await lab.verify()).problems, ['partner_a: Seals are missing before 3.'])
  await lab.rows(`delete from audit_seals where partner_id = 'partner_a' and seal_number = 3`)
  assert.deepEqual((await lab.verify()).problems, [])
  assert.deepEqual((await lab.verify(kept)).problems, [
    'partner_a: Seal 3 is missing or differs from the one that was kept.',
  ])
})

test('after a dump is restored into another server, whose transactions start again, the chain goes on', async (t) => {
  const lab = await openAuditLab(t)
  await lab.seal()
  const kept = await lab.heads()
  // What a restore leaves behind: entries that nobody had sealed, with transaction numbers that this server has not reached.
  await lab.rows(`update audit_epochs set sealed_below = '9000000000'`)
  await lab.rows(
    `insert into audit_log (partner_id, actor, action, subject_type, subject_id, transaction_id)
     values ('partner_a', 'worker', 'changed', 'partner', 'partner_a', '9000000001')`,
  )
  await lab.rename('partner_b')
  assert.ok((await lab.sealOnce()) > 0)
  assert.deepEqual((await lab.verify(kept)).unsealed, [0, 1])
  await lab.seal()
  assert.partialDeepStrictEqual(await lab.verify(kept), { problems: [], sealed: [2, 2], unsealed: [0, 0] })
})

for (const epochs of [1, 2]) {
  test(`processes that seal at the same time seal each entry once, in epoch ${epochs}`, async (t) => {
    const lab = await openAuditLab(t)
    await lab.seal()
    // As after a restore.
    if (epochs === 2) await lab.rows(`insert into audit_epochs select 2, max(entry_number), '0' from audit_log`)
    for (let round = 0; round < 100; round += 1) {
      await lab.rename(partnerIds[round % 2] ?? '')
      await Promise.all([lab.sealOnce(), lab.sealOnce(), lab.sealOnce()])
    }
    await lab.seal()
    assert.partialDeepStrictEqual(await lab.verify(), { problems: [], sealed: [51, 51], unsealed: [0, 0] })
    assert.equal((await lab.rows('select from audit_epochs')).length, epochs)
  })
}
