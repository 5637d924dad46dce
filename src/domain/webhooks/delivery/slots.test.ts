import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idleHands as idle } from './idle-hands.fixture.ts'
import { roomFor, type SlotPolicy } from './slots.ts'
import { type Receiver, TakingUp } from './taking-up.ts'

const policy: SlotPolicy = {
  slots: 64,
  perWebhook: 16,
  readyForQuick: 48,
  readySlots: 100,
  perFailingWebhook: 4,
}
const receiver = (webhookId: string, told: Partial<Receiver> = {}): Receiver => ({
  webhookId,
  isFailing: false,
  takesEvents: true,
  hasBacklog: false,
  ...told,
})
const turns = (takingUp: TakingUp, one: Receiver, count: number) =>
  Array.from({ length: count }, () => takingUp.turnOf(one))
const taken = (takingUp: TakingUp, one: Receiver, count: number) =>
  turns(takingUp, one, count).filter((turn) => turn === 'now').length

test('room, when nothing is in hand, is half of all slots, an eighth for each webhook and a few for failing ones', () => {
  assert.deepEqual(roomFor(policy, idle), {
    slots: 32,
    failingSlots: 32,
    perWebhook: 8,
    perFailingWebhook: 4,
    readySlots: 0,
    readyForQuick: 0,
  })
})

test('room, while slots are short, has none to lie ready, and with all taken there is none', () => {
  const plenty = { ...policy, slots: 512 }
  assert.equal(roomFor(plenty, { ...idle, total: 300 }).readyForQuick, 48)
  assert.equal(roomFor(plenty, { ...idle, total: 400 }).readySlots, 0)
  const full = roomFor(plenty, { ...idle, total: 512, toFailing: 256 })
  assert.deepEqual([full.slots, full.failingSlots, full.perWebhook], [0, 0, 0])
})

test('taking up, for a receiver nothing is known of, fills its lane and expects room soon', () => {
  const takingUp = new TakingUp(roomFor(policy, idle), idle)
  assert.deepEqual(turns(takingUp, receiver('a'), 9), [...Array(8).fill('now'), 'soon'])
  assert.equal(takingUp.turnOf(receiver('b')), 'now')
})

test('taking up, for a quick receiver, lets as much lie ready as its pace allows', () => {
  const plenty = { ...policy, slots: 512 }
  const sending = { ...idle, byWebhook: new Map([['a', 10]]), quick: new Map([['a', 20]]) }
  assert.equal(taken(new TakingUp(roomFor(plenty, sending), sending), receiver('a'), 60), 6 + 20)
})

test('taking up leaves to the queue what its receiver cannot take soon: slow, failing or not verified', () => {
  const slow = { ...idle, slow: new Set(['a']), byWebhook: new Map([['a', 8]]) }
  assert.equal(new TakingUp(roomFor(policy, slow), slow).turnOf(receiver('a')), 'later')
  const takingUp = new TakingUp(roomFor(policy, idle), idle)
  assert.equal(takingUp.turnOf(receiver('b', { takesEvents: false })), 'later')
  assert.deepEqual(turns(takingUp, receiver('c', { isFailing: true }), 5), [...Array(4).fill('now'), 'later'])
})

test('taking up lets what waits already go first', () => {
  const takingUp = new TakingUp(roomFor(policy, idle), idle)
  assert.equal(takingUp.turnOf(receiver('a', { hasBacklog: true })), 'soon')
  assert.equal(takingUp.turnOf(receiver('b', { hasBacklog: true, isFailing: true })), 'later')
})

test('taking up, whatever is asked in whatever order, never exceeds the room of any kind', () => {
  const webhooks = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const asked = fc.array(fc.record({ webhookId: webhooks, isFailing: fc.boolean() }), { maxLength: 300 })
  const inHand = fc.dictionary(webhooks, fc.integer({ min: 0, max: 30 }))
  const quick = fc.dictionary(webhooks, fc.integer({ min: 0, max: 60 }))
  fc.assert(
    fc.property(asked, inHand, quick, fc.integer({ min: 8, max: 400 }), (questions, hands, paces, slots) => {
      const byWebhook = new Map(Object.entries(hands))
      const total = [...byWebhook.values()].reduce((sum, own) => sum + Math.min(own, policy.perWebhook), 0)
      const sending = { ...idle, total, byWebhook, quick: new Map(Object.entries(paces)) }
      const room = roomFor({ ...policy, slots }, sending)
      const takingUp = new TakingUp(room, sending)
      const own = new Map<string, number>()
      let failing = 0
      let ready = 0
      for (const question of questions) {
        if (takingUp.turnOf(receiver(question.webhookId, question)) !== 'now') continue
        const before = (byWebhook.get(question.webhookId) ?? 0) + (own.get(question.webhookId) ?? 0)
        const width = question.isFailing ? room.perFailingWebhook : room.perWebhook
        if (before >= width) ready += 1
        if (question.isFailing) failing += 1
        assert.ok(before < width + (question.isFailing ? 0 : (sending.quick.get(question.webhookId) ?? 0)))
        own.set(question.webhookId, (own.get(question.webhookId) ?? 0) + 1)
      }
      const all = [...own.values()].reduce((sum, count) => sum + count, 0)
      assert.ok(all - ready <= room.slots && ready <= room.readySlots && failing <= room.failingSlots)
    }),
  )
})
