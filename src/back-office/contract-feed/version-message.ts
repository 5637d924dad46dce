import { newId } from '../../platform/kernel/ids.ts'
import type { Message } from '../../webhooks/messages/message.ts'
import type { PlacedVersion } from './contract-versions.store.ts'
import { feedCursor } from './feed-cursor.ts'

/** The type of the messages to the operator's webhooks. */
export const versionMessageType = 'contract.version.recorded'

/**
 * Says that a contract has a version. `position` is the cursor that continues the feed after it. Nothing in it is about
 * a person.
 */
export function versionMessage(
  { contractNumber, version, position, recordedAt }: PlacedVersion,
  epoch: string,
): Message {
  const messageId = newId('event')
  const data = { contractNumber, version, position: feedCursor({ epoch, position }) }
  const body = JSON.stringify({ id: messageId, type: versionMessageType, timestamp: recordedAt.toISOString(), data })
  return { messageId, type: versionMessageType, body }
}
