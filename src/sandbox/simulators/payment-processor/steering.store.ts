import { defaultProcessorBehaviour, type ProcessorBehaviour } from '../../../payments/sandbox-processor.ts'
import type { Database, Queryable } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'

/** The simulator behaviour that this partner has chosen, or the default. */
export async function findProcessorBehaviour(db: Queryable, partnerId: string): Promise<ProcessorBehaviour> {
  const [row] = await db.query<ProcessorBehaviour>(sql`
    select delay_seconds as "delaySeconds", copies, delivery_order as "order", lost, down
      from simulated_processor.steering where partner_id = ${partnerId}`)
  return row ?? defaultProcessorBehaviour
}

/** Changes only the given settings, so two concurrent changes of different settings both take effect. */
export async function upsertProcessorBehaviour(
  db: Database,
  partnerId: string,
  change: Partial<ProcessorBehaviour>,
): Promise<ProcessorBehaviour> {
  const first = { ...defaultProcessorBehaviour, ...change }
  const { delaySeconds = null, copies = null, order = null, lost = null, down = null } = change
  await db.query(sql`
    insert into simulated_processor.steering as s (partner_id, delay_seconds, copies, delivery_order, lost, down)
    values (${partnerId}, ${first.delaySeconds}, ${first.copies}, ${first.order}, ${first.lost}, ${first.down})
    on conflict (partner_id) do update
       set delay_seconds = coalesce(${delaySeconds}, s.delay_seconds), copies = coalesce(${copies}, s.copies),
           delivery_order = coalesce(${order}, s.delivery_order), lost = coalesce(${lost}, s.lost),
           down = coalesce(${down}, s.down)`)
  return findProcessorBehaviour(db, partnerId)
}

/** Whether the processor is set to be down for the named partner or for the owner of one of these objects. */
export async function isProcessorDownFor(
  db: Queryable,
  call: { partnerId: string | undefined; objectIds: readonly string[] },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from simulated_processor.steering where down and partner_id in (
      select ${call.partnerId ?? null}::text
      union all
      select object #>> '{metadata,housebill_partner_id}' from simulated_processor.customers where id = any(${call.objectIds})
      union all
      select object #>> '{metadata,housebill_partner_id}' from simulated_processor.setup_intents where id = any(${call.objectIds})
      union all
      select object #>> '{metadata,housebill_partner_id}' from simulated_processor.payment_intents where id = any(${call.objectIds}))`)
  return rows.length > 0
}
