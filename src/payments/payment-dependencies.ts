import type { RecordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import type { PaymentProcessor } from './payment-processor.ts'

/** What cards are attached and payments collected with. */
export interface PaymentDependencies {
  paymentProcessor: PaymentProcessor
  /** The key of the processor's card field; undefined if cards are not entered in it. */
  publishableKey: string | undefined
  recordContractChange: RecordContractChange
}
