import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { activeOperatorWebhooks } from '../../webhooks/operator/operator-webhooks.store.ts'

/** How many versions get their positions in one statement. */
const positionsAtOnce = 5_000

/** A version that has got its position in the feed. */
export interface PositionedVersion {
  contractNumber: string
  version: number
  position: string
  recordedAt: Date
}

/**
 * Gives positions to the versions of all transactions that have ended and that no older transaction can precede, in
 * their order, and returns those to announce to the operator's webhooks; none if there is no such webhook.
 * Does nothing while another process is doing so.
 */
export async function assignPositions(
  tx: Tx,
): Promise<{ positioned: PositionedVersion[]; webhookIds: Id<'webhook'>[]; hasMore: boolean }> {
  const [feed] = await tx.query<{ lastPosition: string; webhookIds: Id<'webhook'>[] }>(sql`
    select last_position::text as "lastPosition", ${activeOperatorWebhooks} as "webhookIds"
     from contract_feed for update skip locked`)
  if (feed === undefined) return { positioned: [], webhookIds: [], hasMore: false }
  const { lastPosition, webhookIds } = feed
  const positioned = await tx.query<PositionedVersion>(sql`
    with waiting as (
      select contract_number, version, row_number() over (order by transaction_id, recorded_at, contract_number,
                                                          version) as rank
        from (select contract_number, version, transaction_id, recorded_at from contract_versions
               where position is null and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
               order by transaction_id, recorded_at, contract_number, version limit ${positionsAtOnce}) oldest),
    positioned as (
      update contract_versions v set position = ${lastPosition}::bigint + rank
        from waiting where v.contract_number = waiting.contract_number and v.version = waiting.version
      returning v.contract_number, v.version, v.position, v.recorded_at),
    counted as (
      update contract_feed set last_position = last_position + (select count(*) from positioned))
    select contract_number as "contractNumber", version, position::text as position, recorded_at as "recordedAt"
      from positioned where ${webhookIds.length > 0} order by positioned.position`)
  return { positioned, webhookIds, hasMore: positioned.length === positionsAtOnce }
}
