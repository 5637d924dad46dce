/** A payment of the contract, newest first, and how much of it can go back to its card. Amounts are in pence. */
export interface RefundablePayment {
  entryId: string
  /** The processor's id. */
  paymentId: string
  /** What was collected, less what was paid back, disputed, or is being paid back. */
  left: number
}

/** How much of a refund goes back to each payment that it came from: the newest first, at most what each has left. */
export function distributeRefund(amount: number, payments: readonly RefundablePayment[]): RefundablePayment[] {
  let open = amount
  return payments.flatMap(({ left, ...payment }) => {
    const part = Math.min(open, left)
    open -= part
    return part > 0 ? [{ ...payment, left: part }] : []
  })
}
