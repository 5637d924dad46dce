import type { Quote, QuoteTenant } from '../../quoting/quotes/quote.ts'

/** Whether a tenant can be reminded to sign: nobody who has signed, or has withdrawn since. */
export function maySign({ stage }: Quote, { status, contractStatus }: QuoteTenant): boolean {
  return stage !== 'cancelled' && status !== 'OnboardingComplete' && contractStatus !== 'cancelled'
}
