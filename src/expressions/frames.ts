const prefixBytes = 8;
/** Ten million characters are the most that is sent, and one of them may take three bytes. */
const longestFrameBytes = 64_000_000;

/** One message: what it is about as JSON, and a long text beside it, so that the text is not written as JSON a second time. */
export function writeFrame(head: object, body: string): Buffer {
  const about = JSON.stringify(head);
  const aboutBytes = Buffer.byteLength(about);
  const bodyBytes = Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(prefixBytes + aboutBytes + bodyBytes);
  frame.writeUInt32LE(aboutBytes, 0);
  frame.writeUInt32LE(bodyBytes, 4);
  frame.write(about, prefixBytes);
  frame.write(body, prefixBytes + aboutBytes);
  return frame;
}

/** Puts the pieces of a pipe together and tells of every whole message. */
export function createFrameReader(tell: (head: unknown, body: string) => void) {
  let pieces: Buffer[] = [];
  let hadBytes = 0;
  let wantedBytes = prefixBytes;

  /** Tells of the first message if it is there, and says how much has to be there for the next step. */
  const readOne = (all: Buffer): { rest: Buffer; wantedBytes: number } => {
    const frameBytes = measureFrame(all);
    if (all.length < frameBytes) return { rest: all, wantedBytes: frameBytes };
    tellFrame(all, tell);
    return { rest: all.subarray(frameBytes), wantedBytes: prefixBytes };
  };

  return (piece: Buffer): void => {
    pieces.push(piece);
    hadBytes += piece.length;
    // Joined only when enough has come, or a long message would be copied once for each of its pieces.
    while (hadBytes >= wantedBytes) {
      const next = readOne(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
      pieces = [next.rest];
      hadBytes = next.rest.length;
      wantedBytes = next.wantedBytes;
    }
  };
}

function measureFrame(bytes: Buffer): number {
  const frameBytes = prefixBytes + bytes.readUInt32LE(0) + bytes.readUInt32LE(4);
  if (frameBytes > longestFrameBytes) throw new Error("a message between processes is too long");
  return frameBytes;
}

function tellFrame(bytes: Buffer, tell: (head: unknown, body: string) => void): void {
  const bodyAt = prefixBytes + bytes.readUInt32LE(0);
  const end = bodyAt + bytes.readUInt32LE(4);
  tell(JSON.parse(bytes.toString("utf8", prefixBytes, bodyAt)) as unknown, bytes.toString("utf8", bodyAt, end));
}
