import { escapeLiteral } from 'pg'
import { originSetting, partnerSetting, type RuntimeRole } from './runtime-roles.ts'

/** Who makes a transaction's changes, as the audit log records it. Contains no personal data. */
export interface Origin {
  actor: 'client' | 'operator' | 'processor' | 'worker'
  /** The client id of a partner's program, or the operator's login name. */
  credential?: string
  requestId?: string
  /** The `operationId` of a request, or the name of a command or a worker task. */
  operation?: string
}

/** The role, partner and origin that a transaction has from beginning to end. */
export interface Access {
  role: RuntimeRole
  /** Empty unless the access is for a single partner. */
  partnerId: string
  origin?: Origin | undefined
}

/** The SQL that begins a transaction with this access. It has no parameters, so that it can be sent in one message. */
export function beginSql({ role, partnerId, origin }: Access): string {
  return `begin; set local role ${role}; set local ${partnerSetting} = ${escapeLiteral(partnerId)}; set local ${originSetting} = ${escapeLiteral(originText(origin))}`
}

/** The origin in the form that the audit log's triggers expect. */
export function originText(origin: Origin | undefined): string {
  return origin === undefined ? '' : JSON.stringify(origin)
}
