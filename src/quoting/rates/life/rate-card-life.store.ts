import type { Queryable, Tx } from '../../../platform/db/database.ts'
import { type Sql, sql } from '../../../platform/db/sql.ts'
import type { IsoDate } from '../../../platform/kernel/dates.ts'
import type { RateCardChange, RateCardLife } from './rate-card-life.ts'

type Row = Omit<RateCardLife, 'changes'> & { changes: (Omit<RateCardChange, 'at'> & { at: string })[] }

const selectLives = sql`
  select quoting_tool_version_id as "quotingToolVersionId", name, card_sha256 as sha256,
         on_sale_from::text as "onSaleFrom",
         on_sale_to::text as "onSaleTo", published_at as "publishedAt", withdrawn_at as "withdrawnAt",
         signing_stopped_at as "signingStoppedAt",
         case when is_restricted then array(select partner_id from rate_card_partners p
                                             where p.quoting_tool_version_id = r.quoting_tool_version_id
                                             order by partner_id) end as "partnerIds",
         (select coalesce(jsonb_agg(jsonb_build_object('change', change, 'by', made_by, 'at', made_at)
                                    order by change_number), '[]')
            from rate_card_changes c where c.quoting_tool_version_id = r.quoting_tool_version_id) as changes
    from rate_cards r`

async function readLives(db: Queryable, rest: Sql): Promise<RateCardLife[]> {
  const rows = await db.query<Row>(sql`${selectLives} ${rest}`)
  return rows.map(({ changes, ...row }) => ({
    ...row,
    changes: changes.map(({ at, ...change }) => ({ ...change, at: new Date(at) })),
  }))
}

/** Every card, latest published first. */
export function listRateCardLives(db: Queryable): Promise<RateCardLife[]> {
  return readLives(db, sql`order by publication_number desc`)
}

export async function findRateCardLife(db: Queryable, quotingToolVersionId: string): Promise<RateCardLife | undefined> {
  const [life] = await readLives(db, sql`where quoting_tool_version_id = ${quotingToolVersionId}`)
  return life
}

/** The card, locked until the transaction ends, so that its state cannot change in the meantime. */
export async function lockRateCardLife(tx: Tx, quotingToolVersionId: string): Promise<RateCardLife | undefined> {
  await tx.query(
    sql`select 1 from rate_cards where quoting_tool_version_id = ${quotingToolVersionId} for no key update`,
  )
  return findRateCardLife(tx, quotingToolVersionId)
}

/** Keeps every card as it is, and others from being published, until the transaction ends. Quotes go on. */
export async function lockRateCardLives(tx: Tx): Promise<void> {
  await tx.query(sql`lock table rate_cards in share row exclusive mode`)
}

/** Takes a published card off sale for ever. */
export async function markRateCardWithdrawn(tx: Tx, quotingToolVersionId: string): Promise<void> {
  await tx.query(sql`
    update rate_cards set withdrawn_at = now() where quoting_tool_version_id = ${quotingToolVersionId}`)
}

/** Whether nobody is to sign on a card any more. */
export async function isSigningStopped(db: Queryable, quotingToolVersionId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from rate_cards where quoting_tool_version_id = ${quotingToolVersionId} and signing_stopped_at is not null`)
  return rows.length > 0
}

/** Says that nobody is to sign on a withdrawn card any more. */
export async function markSigningStopped(tx: Tx, quotingToolVersionId: string): Promise<void> {
  await tx.query(sql`
    update rate_cards set signing_stopped_at = now() where quoting_tool_version_id = ${quotingToolVersionId}`)
}

export async function updateSaleDays(
  tx: Tx,
  quotingToolVersionId: string,
  { from, to }: { from: IsoDate | null; to: IsoDate | null },
): Promise<void> {
  await tx.query(sql`
    update rate_cards set on_sale_from = ${from}, on_sale_to = ${to}
     where quoting_tool_version_id = ${quotingToolVersionId}`)
}

/**
 * Lets only these partners choose the card, or every partner with null. Returns false, with nothing changed, if one of
 * them is unknown.
 */
export async function replaceCardPartners(
  tx: Tx,
  quotingToolVersionId: string,
  partnerIds: readonly string[] | null,
): Promise<boolean> {
  const known = await tx.query<{ partnerId: string }>(sql`
    select partner_id as "partnerId" from partners where partner_id = any(${[...(partnerIds ?? [])]}::text[])`)
  if (known.length !== new Set(partnerIds).size) return false
  await tx.query(sql`
    update rate_cards set is_restricted = ${partnerIds !== null}
     where quoting_tool_version_id = ${quotingToolVersionId}`)
  await tx.query(sql`
    delete from rate_card_partners
     where quoting_tool_version_id = ${quotingToolVersionId} and partner_id <> all(${[...(partnerIds ?? [])]}::text[])`)
  await tx.query(sql`
    insert into rate_card_partners (quoting_tool_version_id, partner_id)
    select ${quotingToolVersionId}, partner_id from unnest(${[...(partnerIds ?? [])]}::text[]) as given (partner_id)
    on conflict do nothing`)
  return true
}

/** Adds to the history of a card. */
export async function insertRateCardChange(
  tx: Tx,
  quotingToolVersionId: string,
  { change, by }: Omit<RateCardChange, 'at'>,
): Promise<void> {
  await tx.query(sql`
    insert into rate_card_changes (quoting_tool_version_id, change, made_by)
    values (${quotingToolVersionId}, ${change}, ${by})`)
}
