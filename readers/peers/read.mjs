// Reads the arrays of the matrix of readers with zarrita.js, as read.py does.
//
//     node read.mjs ZARRITA FOLDER
//
// ZARRITA is the folder in which npm installed zarrita.
import { pathToFileURL } from "node:url";
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";

const [, , installed, folder] = process.argv;
const modules = resolve(installed, "node_modules");
const zarr = await import(pathToFileURL(`${modules}/zarrita/dist/src/index.js`));
const { default: FileSystemStore } = await import(pathToFileURL(`${modules}/@zarrita/storage/dist/src/fs.js`));

const hex = (bytes) => Buffer.from(bytes).toString("hex");

// The elements, each in hexadecimal digits.
function elements(data, length) {
  if (Array.isArray(data)) return data.map((x) => (typeof x === "string" ? hex(Buffer.from(x)) : hex(x)));
  if (data.buffer === undefined) return Array.from(data, (x) => (typeof x === "boolean" ? (x ? "01" : "00") : hex(Buffer.from(x))));
  if (data instanceof zarr.BoolArray) return Array.from(data, (x) => (x ? "01" : "00"));
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const size = length ? bytes.length / length : 0;
  return Array.from({ length }, (_, i) => hex(bytes.subarray(i * size, (i + 1) * size)));
}

// The places of the elements in C order.
const order = (shape, stride) =>
  shape.reduce((places, n, k) => places.flatMap((at) => Array.from({ length: n }, (_, i) => at + i * stride[k])), [0]);

// A typed array of the one element that an array without dimensions has.
function one(dtype, data) {
  const types = { int16: Int16Array };
  return types[dtype] ? types[dtype].from(data) : data;
}

// Node.js ends if it is to read far behind the end of a file, as zarrita.js asks for in a shard that
// has its index at the start.
class Files extends FileSystemStore {
  async getRange(key, range, options) {
    if (range.length > 2 ** 31 || range.offset > 2 ** 31) throw new Error(`${key}: no such bytes`);
    return super.getRange(key, range, options);
  }
}

// If two codecs of a chain are unknown, zarrita.js reports one, and Node.js ends for the other.
process.on("unhandledRejection", () => {});

const found = [];
for (let i = 0; i < readdirSync(folder).length; i++) {
  try {
    const store = new Files(resolve(folder, String(i)));
    const array = await zarr.open.v3(zarr.root(store).resolve("a"), { kind: "array" });
    const got = await zarr.get(array);
    const { data, shape, stride } = got?.data ? got : { data: [got], shape: [], stride: [] };
    const length = shape.reduce((a, b) => a * b, 1);
    const items = elements(data.buffer || data.get ? data : one(array.dtype, data), length);
    found.push(order(shape, stride).map((at) => items[at]).join(","));
  } catch {
    found.push(null);
  }
}
const { version } = JSON.parse(readFileSync(`${modules}/zarrita/package.json`));
console.log(JSON.stringify({ version, found }));
