export const auditActors = ['client', 'operator', 'processor', 'worker', 'link', 'tenant', 'database'] as const
export const auditActions = ['created', 'changed', 'removed', 'asked', 'exported', 'read', 'psr.read'] as const

/** What an audit log entry is about. */
export interface AuditSubject {
  subjectType: string
  subjectId: string
  quoteId: string | null
  customerId: string | null
}

/** An audit log entry: who did what, when and in which request. Contains ids and field names, but never values. */
export interface AuditEntry extends AuditSubject {
  at: Date
  /**
   * `link` means somebody who opened a link to a document; `database`, somebody who connected to the database directly.
   */
  actor: (typeof auditActors)[number]
  /** The client id, the operator's operating-system login, or the database login. */
  credential: string | null
  requestId: string | null
  /** The `operationId`, or the name of the command or worker job. */
  operation: string | null
  action: (typeof auditActions)[number]
  fields: string[]
}

/** A filter for audit log entries. */
export interface AuditFilter {
  customerId?: string | undefined
  since?: Date | undefined
  /** The maximum number of entries returned. If there are more, only the latest are returned. */
  limit: number
}
