import type { Partner } from '../../support/client.ts'
import type { TestService } from '../../support/service.ts'
import type { Receiver } from '../../webhooks/receiver-fixture.ts'

/**
 * What an outcome is rehearsed with: a partner of its own and a receiver that verifies webhooks and rejects every
 * event.
 */
export interface Rehearsal {
  partner: Partner
  service: TestService
  receiver: Receiver
}

/**
 * Causes an outcome as docs/sandbox.md says, by the API alone, and asserts that it came about. The key is the first
 * column of the table.
 */
export type Outcomes = Readonly<Record<string, (rehearsal: Rehearsal) => Promise<void>>>
