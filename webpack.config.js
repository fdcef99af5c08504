/**
 * Builds www/, the viewer, into dist-www/. The viewer imports the built package by its own name (`zarr-wasm`), through
 * package.json's `exports`, as any other page would: build the package first (`npm run build:quick`).
 */
import { join } from "node:path";
import HtmlWebpackPlugin from "html-webpack-plugin";

const at = (path) => join(import.meta.dirname, path);

export default {
  mode: process.env.NODE_ENV ?? "production",
  // Maps would double what a host has to keep.
  devtool: process.env.NODE_ENV === "development" ? "source-map" : false,
  entry: "./www/src/main.ts",
  output: {
    path: at("dist-www"),
    filename: "[name].[contenthash:8].js",
    cssFilename: "[name].[contenthash:8].css",
    assetModuleFilename: "[name].[contenthash:8][ext]",
    clean: true,
  },
  experiments: { css: true },
  resolve: {
    extensions: [".ts", ".js"],
    extensionAlias: { ".js": [".ts", ".js"] },
  },
  module: {
    rules: [
      { test: /\.ts$/, exclude: /node_modules/, loader: "esbuild-loader", options: { target: "es2022" } },
      // package.json's `sideEffects: false` speaks of the package; here it would drop the viewer's style sheet.
      { test: /\.css$/, sideEffects: true },
    ],
  },
  plugins: [new HtmlWebpackPlugin({ template: "./www/index.html" })],
  performance: { hints: false }, // the package's own sizes are kept in sizes.json
  devServer: {
    static: [{ directory: at("www/samples"), publicPath: "/samples/" }],
    headers: { "Access-Control-Allow-Origin": "*" },
    hot: false, // a page that holds workers and decoded chunks is better loaded anew
  },
};
