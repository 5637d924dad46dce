import type { Caller } from '../partners/caller.ts'
import type { PartnerDirectory } from '../partners/partner-directory.ts'
import { findPartner, lockClockOffset, updateClockOffset } from '../partners/partners.store.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { type DomainError, invalidFields } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** How far ahead a sandbox clock may be. Rate cards do not cover a longer period. */
export const maxAdvanceYears = 10
export const maxAdvanceSeconds = maxAdvanceYears * 365.25 * 86_400

/** Sends what the partner's tenants, or this one, are to be sent now. */
export type SendTenantMails = (partnerId: Id<'partner'>, customerId?: Id<'tenant'>) => Promise<void>

/** Notes what the partner's tenants are to be sent because a day has come. */
export type QueueDueTenantMails = (partnerId: Id<'partner'>) => Promise<void>

/** A partner's sandbox clock: its time, and how far it is ahead of real time. */
export interface SandboxClock {
  now: Date
  offsetSeconds: number
}

/**
 * POST /Sandbox/clock/advance: moves the partner's clock forward by `seconds`, or to the first whole second of its
 * offset at which it has reached `to`. First sends the e-mails that tenants are to be sent by then, as would have
 * happened while that time passed; then those that have become due. Throws `validation_failed` if `to` has passed, or if the clock would then be over
 * ten years ahead.
 */
export async function advanceClock(
  deps: {
    db: Database
    partners: PartnerDirectory
    clock: Clock
    sendTenantMails: SendTenantMails
    queueDueTenantMails: QueueDueTenantMails
  },
  caller: Caller,
  by: { seconds: number } | { to: Date },
): Promise<SandboxClock> {
  const { db, partners, clock } = deps
  await deps.sendTenantMails(caller.partnerId)
  const moved = await inTransaction(db, caller, async (tx) => {
    const realTime = clock.now().getTime()
    const before = await lockClockOffset(tx, caller.partnerId)
    const offsetSeconds = 'seconds' in by ? before + by.seconds : Math.ceil((by.to.getTime() - realTime) / 1000)
    if (offsetSeconds < before)
      throw outOfRange('/to', `The clock shows a later time already, and it only moves forward.`)
    if (offsetSeconds > maxAdvanceSeconds)
      throw outOfRange(
        'seconds' in by ? '/seconds' : '/to',
        `Would move the clock more than ${maxAdvanceYears} years in total.`,
      )
    await updateClockOffset(tx, caller.partnerId, offsetSeconds)
    return { now: new Date(realTime + offsetSeconds * 1000), offsetSeconds }
  })
  partners.forget(caller.partnerId)
  await deps.queueDueTenantMails(caller.partnerId)
  await deps.sendTenantMails(caller.partnerId)
  return moved
}

function outOfRange(pointer: string, detail: string): DomainError {
  const remedy = 'To go back, use another partner.'
  return invalidFields([{ pointer, code: 'out_of_range', detail: `${detail} ${remedy}` }])
}

/** GET /Sandbox/clock: the partner's clock. */
export async function readClock(
  { db, clock }: { db: Database; clock: Clock },
  { partnerId }: Caller,
): Promise<SandboxClock> {
  const partner = await findPartner(db, partnerId)
  if (partner === undefined) throw new Error('the caller has no partner')
  const offsetSeconds = partner.clockOffsetSeconds
  return { now: new Date(clock.now().getTime() + offsetSeconds * 1000), offsetSeconds }
}
