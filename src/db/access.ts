import { escapeLiteral } from 'pg'
import { originSetting, partnerSetting, type RuntimeRole } from './runtime-roles.ts'

/** On whose behalf a transaction works: what the audit log says of its changes. Never personal data. */
export interface Origin {
  actor: 'client' | 'operator' | 'processor' | 'worker'
  /** The client id of a partner's program, or the operator's login on the machine. */
  credential?: string
  requestId?: string
  /** The `operationId` of a request, the command, or the worker's task. */
  operation?: string
}

/** As whom a transaction works, from its beginning to its end. */
export interface Access {
  role: RuntimeRole
  /** Empty for nobody's. */
  partnerId: string
  origin?: Origin | undefined
}

/** Begins a transaction as somebody: text for one message without parameters. */
export function beginAs({ role, partnerId, origin }: Access): string {
  return `begin; set local role ${role}; set local ${partnerSetting} = ${escapeLiteral(partnerId)}; set local ${originSetting} = ${escapeLiteral(originText(origin))}`
}

/** As the triggers of the audit log read it. */
export function originText(origin: Origin | undefined): string {
  return origin === undefined ? '' : JSON.stringify(origin)
}
