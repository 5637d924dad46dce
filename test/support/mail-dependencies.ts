import { readOperator } from '../../src/app/reference-data.ts'
import { createOnboardingLinks } from '../../src/contracts/links/onboarding-link.ts'
import type { TenantMailDependencies } from '../../src/contracts/mails/queue-mails.ts'
import { createRefusalLinks } from '../../src/contracts/mails/refusal-link.ts'
import type { TenantMailingDependencies } from '../../src/contracts/mails/send-due-tenant-mails.ts'
import type { FieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import type { ServiceUnderTest } from './service.ts'

/** What e-mails to tenants of a sandbox are made from, for jobs that a test runs itself. Their links open nothing. */
export async function mailDependencies(
  { baseUrl: publicUrl }: Pick<ServiceUnderTest, 'baseUrl'>,
  cipher: FieldCipher,
): Promise<TenantMailDependencies & Pick<TenantMailingDependencies, 'onboardingLinks' | 'refusalLinks'>> {
  const signing = { keys: [Buffer.alloc(32)], lifetimeSeconds: 30 * 86_400 }
  return {
    cipher,
    operator: await readOperator(undefined),
    realm: 'sandbox',
    confirmsByDefault: 'operator',
    contractUrlPolicy: { publicUrl },
    abandonedQuoteDays: 90,
    onboardingLinks: createOnboardingLinks(signing),
    refusalLinks: createRefusalLinks(signing),
  }
}
