import { createReadStream, createWriteStream, globSync, statSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

/** Below that a compressed file saves no packet. */
const smallestBytes = 1_000;

const compressors = {
  br: (size) =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: size },
    }),
  gz: () => createGzip({ level: 9 }),
};

/** Writes `<name>.br` and `<name>.gz` beside each file of a built page, once, so that no server does it for every visitor. */
export async function compressFiles(folder) {
  const files = globSync("**/*.{js,css,html,svg,json,md}", { cwd: folder }).map((name) => path.join(folder, name));
  const works = files.flatMap((file) => {
    const { size } = statSync(file);
    if (size < smallestBytes) return [];
    return Object.entries(compressors).map(([ending, create]) =>
      pipeline(createReadStream(file), create(size), createWriteStream(`${file}.${ending}`)),
    );
  });
  await Promise.all(works);
}
