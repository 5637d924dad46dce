/** Who makes a transaction's changes, as the audit log records it. Contains no personal data. */
export interface Origin {
  actor: 'client' | 'operator' | 'processor' | 'worker' | 'link' | 'tenant'
  /** The client id of a program, the id of a person who signed in, or the operator's login name. */
  credential?: string
  requestId?: string
  /** The `operationId` of a request, or the name of a command or a worker task. */
  operation?: string
}

/** What a transaction has from beginning to end: its partner, unless it works across partners, and its origin. */
export interface Access {
  partnerId?: string
  origin?: Origin | undefined
  /** Whether it is rolled back when it ends (`withoutEffect`). */
  isRolledBack?: boolean
}
