import { newId } from '../../platform/kernel/ids.ts'
import type { Message } from '../../webhooks/messages/message.ts'
import type { PositionedVersion } from './assign-positions.store.ts'
import { encodeFeedCursor } from './feed-cursor.ts'

/** The type of the messages to the operator's webhooks. */
export const versionMessageType = 'contract.version.recorded'

/**
 * Says that a contract has a version. `position` is the cursor that continues the feed after it. Nothing in it is about
 * a person.
 */
export function versionMessage(
  { contractNumber, version, position, recordedAt }: PositionedVersion,
  epoch: string,
): Message {
  const messageId = newId('event')
  const data = { contractNumber, version, position: encodeFeedCursor({ epoch, position }) }
  const body = JSON.stringify({ id: messageId, type: versionMessageType, timestamp: recordedAt.toISOString(), data })
  return { messageId, type: versionMessageType, body }
}
