import { exportFormats } from '../../back-office/export-files/export-page.ts'

/** How a report is printed: as a table for people, or as a file is written. */
export const reportFormats = ['table', ...exportFormats] as const
export type ReportFormat = (typeof reportFormats)[number]
