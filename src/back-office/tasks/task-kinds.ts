/** What the operator has to decide or do, and how it is settled. A row here and its query in `tasks.store.ts`. */
export const taskKinds = {
  cap_met:
    'Tenants of a household have caused as many e-mails to others, or to one address, as a day allows. Look whether somebody abuses them; the task leaves after a day.',
  card_of_many:
    'One card pays for more than three households of a partner. Look who pays for whom. The task leaves after 30 days.',
  commission_queried:
    'A partner asks about a line of its commission. Read it (readCommissionQuery) and answer it (answerCommissionQuery).',
  confirmation_missing:
    'A contract is in force, and its tenant was not sent a confirmation within a day, or the e-mail was given up. Correct the address or send it by post, then report it with confirmation-sent.',
  death_reported:
    'A customer is said to have died, and their e-mails and payments are held. By the due day, which is ten working days later, confirm the report or lift it (decide-death). A task whose due day is past is overdue.',
  email_at_partner:
    "The e-mail address of a tenant is at a domain of the partner's people, where they may read what only the tenant may. Ask the partner. The task leaves when the address changes, and after 30 days.",
  email_of_another:
    'A tenant was given an e-mail address that in the last 90 days proved itself for a tenant of the partner with another name. Ask who reads it. The task leaves when the address changes, and after 30 days.',
  end_doubted:
    'A tenant ended their contract without a fee for a reason that the partner says is not true. Ask both. Nothing is charged; to take it off the list, answer it with confirm-end-reason.',
  end_requested:
    'A tenant asks you to end their contract: for a cause that is yours to give, or on a day longer ago than their own word counts for. By the due day, which is ten working days later, read it (end-request), and end the contract with end-contract or answer (answer-end-request).',
  estate_owes:
    'A customer has died, and a payment is open, which is never taken from their card. Ask whoever deals with the estate, and report what they pay. If nobody will, report that it failed, then waive it.',
  erroneous_transfer:
    'You reported that a supply was moved by mistake. Chase the supplier: the due day is the one by which it must first answer or, once you reported `answeredOn`, put it right. The task leaves with a report without that reason.',
  household_ended_before:
    'A household whose contracts ended with the tenancy, without a fee, is quoted again: the same home, from a day within 90 days of the end, with half the same people or more. Ask the partner whether the tenancy ended. The task leaves when the quote is cancelled, or 30 days after it was made.',
  lead_missing:
    'The lead tenant of an open household was erased or has died, and no other tenant has agreed to lead. Ask the tenants, then remove who has died, say that the household is complete, add tenants, or choose the dates: you and the partner can do what a lead tenant can.',
  payment_disputed:
    "A tenant's bank took a payment back. Answer the dispute at the processor by the day that it names, and report what became of it.",
  next_occupier_missing:
    'A household leaves its home within ten working days, or has left it, and nobody said who is responsible for it next, without which no supplier closes an account. Ask the partner or the lead tenant, then say it with `PATCH /Quotes/{id}/occupiers`.',
  payment_failed: 'A payment failed and will not be tried again. Report what becomes of it, or waive it.',
  payment_unmatched: 'Money moved at the processor and belongs to no payment. Settle it.',
  payment_owed_again: 'A payment was taken back or reported by mistake. Put it back on the plan, or waive it.',
  dispute_unknown:
    'The payment processor gave a dispute a status that Housebill does not know, so it counts as not decided. Look it up, and report what became of the dispute.',
  tenancy_end_unanswered:
    'A tenant was asked whether their tenancy ends, and did not answer in time. Nothing due after that day is collected until the due day. Ask them, and record the answer with answer-tenancy-end; if their tenancy ended without one, end the contract with end-contract on its last day.',
  prepayment_meter:
    'The energy of a household that has signed is paid for with a key, card or app. Ask the supplier for credit mode: remotely if the meter is smart, otherwise a visit. Then correct the contract with `meterPayment`: `credit`.',
  refund_due:
    'A refund of what was paid and is not owed, one that no card takes, or any whose last day is within three days. Pay it and report it.',
  wrong_meter:
    'The serial number on the meter of a home is another than that of the meter which its supplier has. Two flats may be crossed: ask the supplier, then report its serial number again, or correct the reading.',
} as const satisfies Readonly<Record<string, string>>

/** A kind of the operator's tasks. */
export type TaskKind = keyof typeof taskKinds

/** All kinds, in the order of their names. */
export const taskKindNames = Object.keys(taskKinds) as TaskKind[]
