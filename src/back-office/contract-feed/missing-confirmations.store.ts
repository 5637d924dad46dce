import type { Confirmer } from '../../partners/partner-settings.schema.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** A contract in force whose confirmation was not sent within a day, or was rejected. */
export interface MissingConfirmation {
  contractNumber: string
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  effectiveAt: Date
  confirmedBy: Confirmer
  /** Whether the mail server rejected the e-mail, or took none for three days. */
  wasGivenUp: boolean
}

/**
 * From contracts `k` of all partners, those whose confirmation is missing, with what became of the e-mail: `mail`.
 * `now` is real time.
 */
export function missingConfirmation(now: Date): Sql {
  return sql`
      from contracts k join partners p using (partner_id)
     cross join lateral (select coalesce(bool_or(m.outcome in ('given_up', 'test_address')), false) as given_up from tenant_mails m
                          where m.partner_id = k.partner_id and m.contract_number = k.contract_number
                            and m.kind = 'contract_in_force') mail
     where k.status = 'in_force' and k.confirmed_by is not null and k.confirmation_sent_at is null
       and (mail.given_up or k.effective_at < ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds) -
         interval '24 hours')`
}

/** Contracts of all partners whose confirmation is missing, by number, from after the given one. `now` is real time. */
export function listMissingConfirmations(
  system: Queryable,
  { now, after, limit }: { now: Date; after: string | undefined; limit: number },
): Promise<MissingConfirmation[]> {
  return system.query<MissingConfirmation>(sql`
    select k.contract_number as "contractNumber", k.partner_id as "partnerId", k.customer_id as "customerId",
           k.effective_at as "effectiveAt", k.confirmed_by as "confirmedBy", mail.given_up as "wasGivenUp"
      ${missingConfirmation(now)}
       and (${after ?? null}::text is null or k.contract_number > ${after ?? null})
     order by k.contract_number limit ${limit}`)
}
