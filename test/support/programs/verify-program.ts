/** Verifies a database in a thread of its own, whose memory a test bounds; answers with the report. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from '../../../sql/db.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { recordingLog } from '../recording-log.ts'

const db = connect(workerData, { max: 4 })
const report = await verify(db, { log: recordingLog().log })
await db.end()
parentPort?.postMessage(report)
