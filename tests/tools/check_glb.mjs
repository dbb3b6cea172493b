// Khronos' glTF validator over files: no error, no warning. Usage: node check_glb.mjs FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.RUBBLE_NODE_MODULES + "/");
const validator = require("gltf-validator");

let failures = 0;
for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: file, maxIssues: 0, ignoredIssues: ["UNUSED_OBJECT"] });
    const { numErrors, numWarnings } = report.issues;
    console.log(`${numErrors + numWarnings === 0 ? "ok  " : "FAIL"} ${file}: ${numErrors} errors, ${numWarnings} warnings, ` +
                `${report.info.animationCount} animations, ${report.info.totalTriangleCount} triangles`);
    for (const issue of report.issues.messages.filter((message) => message.severity <= 1)) {
        console.log(`     ${issue.code} at ${issue.pointer}: ${issue.message}`);
    }
    failures += numErrors + numWarnings > 0;
}
process.exit(failures === 0 ? 0 : 1);
