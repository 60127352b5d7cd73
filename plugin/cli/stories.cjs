"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// node_modules/commander/lib/error.js
var require_error = __commonJS({
  "node_modules/commander/lib/error.js"(exports2) {
    var CommanderError2 = class extends Error {
      /**
       * Constructs the CommanderError class
       * @param {number} exitCode suggested exit code which could be used with process.exit
       * @param {string} code an id string representing the error
       * @param {string} message human-readable description of the error
       */
      constructor(exitCode, code, message) {
        super(message);
        Error.captureStackTrace(this, this.constructor);
        this.name = this.constructor.name;
        this.code = code;
        this.exitCode = exitCode;
        this.nestedError = void 0;
      }
    };
    var InvalidArgumentError2 = class extends CommanderError2 {
      /**
       * Constructs the InvalidArgumentError class
       * @param {string} [message] explanation of why argument is invalid
       */
      constructor(message) {
        super(1, "commander.invalidArgument", message);
        Error.captureStackTrace(this, this.constructor);
        this.name = this.constructor.name;
      }
    };
    exports2.CommanderError = CommanderError2;
    exports2.InvalidArgumentError = InvalidArgumentError2;
  }
});

// node_modules/commander/lib/argument.js
var require_argument = __commonJS({
  "node_modules/commander/lib/argument.js"(exports2) {
    var { InvalidArgumentError: InvalidArgumentError2 } = require_error();
    var Argument2 = class {
      /**
       * Initialize a new command argument with the given name and description.
       * The default is that the argument is required, and you can explicitly
       * indicate this with <> around the name. Put [] around the name for an optional argument.
       *
       * @param {string} name
       * @param {string} [description]
       */
      constructor(name, description) {
        this.description = description || "";
        this.variadic = false;
        this.parseArg = void 0;
        this.defaultValue = void 0;
        this.defaultValueDescription = void 0;
        this.argChoices = void 0;
        switch (name[0]) {
          case "<":
            this.required = true;
            this._name = name.slice(1, -1);
            break;
          case "[":
            this.required = false;
            this._name = name.slice(1, -1);
            break;
          default:
            this.required = true;
            this._name = name;
            break;
        }
        if (this._name.endsWith("...")) {
          this.variadic = true;
          this._name = this._name.slice(0, -3);
        }
      }
      /**
       * Return argument name.
       *
       * @return {string}
       */
      name() {
        return this._name;
      }
      /**
       * @package
       */
      _collectValue(value, previous) {
        if (previous === this.defaultValue || !Array.isArray(previous)) {
          return [value];
        }
        previous.push(value);
        return previous;
      }
      /**
       * Set the default value, and optionally supply the description to be displayed in the help.
       *
       * @param {*} value
       * @param {string} [description]
       * @return {Argument}
       */
      default(value, description) {
        this.defaultValue = value;
        this.defaultValueDescription = description;
        return this;
      }
      /**
       * Set the custom handler for processing CLI command arguments into argument values.
       *
       * @param {Function} [fn]
       * @return {Argument}
       */
      argParser(fn) {
        this.parseArg = fn;
        return this;
      }
      /**
       * Only allow argument value to be one of choices.
       *
       * @param {string[]} values
       * @return {Argument}
       */
      choices(values) {
        this.argChoices = values.slice();
        this.parseArg = (arg, previous) => {
          if (!this.argChoices.includes(arg)) {
            throw new InvalidArgumentError2(
              `Allowed choices are ${this.argChoices.join(", ")}.`
            );
          }
          if (this.variadic) {
            return this._collectValue(arg, previous);
          }
          return arg;
        };
        return this;
      }
      /**
       * Make argument required.
       *
       * @returns {Argument}
       */
      argRequired() {
        this.required = true;
        return this;
      }
      /**
       * Make argument optional.
       *
       * @returns {Argument}
       */
      argOptional() {
        this.required = false;
        return this;
      }
    };
    function humanReadableArgName(arg) {
      const nameOutput = arg.name() + (arg.variadic === true ? "..." : "");
      return arg.required ? "<" + nameOutput + ">" : "[" + nameOutput + "]";
    }
    exports2.Argument = Argument2;
    exports2.humanReadableArgName = humanReadableArgName;
  }
});

// node_modules/commander/lib/help.js
var require_help = __commonJS({
  "node_modules/commander/lib/help.js"(exports2) {
    var { humanReadableArgName } = require_argument();
    var Help2 = class {
      constructor() {
        this.helpWidth = void 0;
        this.minWidthToWrap = 40;
        this.sortSubcommands = false;
        this.sortOptions = false;
        this.showGlobalOptions = false;
      }
      /**
       * prepareContext is called by Commander after applying overrides from `Command.configureHelp()`
       * and just before calling `formatHelp()`.
       *
       * Commander just uses the helpWidth and the rest is provided for optional use by more complex subclasses.
       *
       * @param {{ error?: boolean, helpWidth?: number, outputHasColors?: boolean }} contextOptions
       */
      prepareContext(contextOptions) {
        this.helpWidth = this.helpWidth ?? contextOptions.helpWidth ?? 80;
      }
      /**
       * Get an array of the visible subcommands. Includes a placeholder for the implicit help command, if there is one.
       *
       * @param {Command} cmd
       * @returns {Command[]}
       */
      visibleCommands(cmd) {
        const visibleCommands = cmd.commands.filter((cmd2) => !cmd2._hidden);
        const helpCommand = cmd._getHelpCommand();
        if (helpCommand && !helpCommand._hidden) {
          visibleCommands.push(helpCommand);
        }
        if (this.sortSubcommands) {
          visibleCommands.sort((a, b) => {
            return a.name().localeCompare(b.name());
          });
        }
        return visibleCommands;
      }
      /**
       * Compare options for sort.
       *
       * @param {Option} a
       * @param {Option} b
       * @returns {number}
       */
      compareOptions(a, b) {
        const getSortKey = (option) => {
          return option.short ? option.short.replace(/^-/, "") : option.long.replace(/^--/, "");
        };
        return getSortKey(a).localeCompare(getSortKey(b));
      }
      /**
       * Get an array of the visible options. Includes a placeholder for the implicit help option, if there is one.
       *
       * @param {Command} cmd
       * @returns {Option[]}
       */
      visibleOptions(cmd) {
        const visibleOptions = cmd.options.filter((option) => !option.hidden);
        const helpOption = cmd._getHelpOption();
        if (helpOption && !helpOption.hidden) {
          const removeShort = helpOption.short && cmd._findOption(helpOption.short);
          const removeLong = helpOption.long && cmd._findOption(helpOption.long);
          if (!removeShort && !removeLong) {
            visibleOptions.push(helpOption);
          } else if (helpOption.long && !removeLong) {
            visibleOptions.push(
              cmd.createOption(helpOption.long, helpOption.description)
            );
          } else if (helpOption.short && !removeShort) {
            visibleOptions.push(
              cmd.createOption(helpOption.short, helpOption.description)
            );
          }
        }
        if (this.sortOptions) {
          visibleOptions.sort(this.compareOptions);
        }
        return visibleOptions;
      }
      /**
       * Get an array of the visible global options. (Not including help.)
       *
       * @param {Command} cmd
       * @returns {Option[]}
       */
      visibleGlobalOptions(cmd) {
        if (!this.showGlobalOptions) return [];
        const globalOptions = [];
        for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) {
          const visibleOptions = ancestorCmd.options.filter(
            (option) => !option.hidden
          );
          globalOptions.push(...visibleOptions);
        }
        if (this.sortOptions) {
          globalOptions.sort(this.compareOptions);
        }
        return globalOptions;
      }
      /**
       * Get an array of the arguments if any have a description.
       *
       * @param {Command} cmd
       * @returns {Argument[]}
       */
      visibleArguments(cmd) {
        if (cmd._argsDescription) {
          cmd.registeredArguments.forEach((argument) => {
            argument.description = argument.description || cmd._argsDescription[argument.name()] || "";
          });
        }
        if (cmd.registeredArguments.find((argument) => argument.description)) {
          return cmd.registeredArguments;
        }
        return [];
      }
      /**
       * Get the command term to show in the list of subcommands.
       *
       * @param {Command} cmd
       * @returns {string}
       */
      subcommandTerm(cmd) {
        const args = cmd.registeredArguments.map((arg) => humanReadableArgName(arg)).join(" ");
        return cmd._name + (cmd._aliases[0] ? "|" + cmd._aliases[0] : "") + (cmd.options.length ? " [options]" : "") + // simplistic check for non-help option
        (args ? " " + args : "");
      }
      /**
       * Get the option term to show in the list of options.
       *
       * @param {Option} option
       * @returns {string}
       */
      optionTerm(option) {
        return option.flags;
      }
      /**
       * Get the argument term to show in the list of arguments.
       *
       * @param {Argument} argument
       * @returns {string}
       */
      argumentTerm(argument) {
        return argument.name();
      }
      /**
       * Get the longest command term length.
       *
       * @param {Command} cmd
       * @param {Help} helper
       * @returns {number}
       */
      longestSubcommandTermLength(cmd, helper) {
        return helper.visibleCommands(cmd).reduce((max, command) => {
          return Math.max(
            max,
            this.displayWidth(
              helper.styleSubcommandTerm(helper.subcommandTerm(command))
            )
          );
        }, 0);
      }
      /**
       * Get the longest option term length.
       *
       * @param {Command} cmd
       * @param {Help} helper
       * @returns {number}
       */
      longestOptionTermLength(cmd, helper) {
        return helper.visibleOptions(cmd).reduce((max, option) => {
          return Math.max(
            max,
            this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option)))
          );
        }, 0);
      }
      /**
       * Get the longest global option term length.
       *
       * @param {Command} cmd
       * @param {Help} helper
       * @returns {number}
       */
      longestGlobalOptionTermLength(cmd, helper) {
        return helper.visibleGlobalOptions(cmd).reduce((max, option) => {
          return Math.max(
            max,
            this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option)))
          );
        }, 0);
      }
      /**
       * Get the longest argument term length.
       *
       * @param {Command} cmd
       * @param {Help} helper
       * @returns {number}
       */
      longestArgumentTermLength(cmd, helper) {
        return helper.visibleArguments(cmd).reduce((max, argument) => {
          return Math.max(
            max,
            this.displayWidth(
              helper.styleArgumentTerm(helper.argumentTerm(argument))
            )
          );
        }, 0);
      }
      /**
       * Get the command usage to be displayed at the top of the built-in help.
       *
       * @param {Command} cmd
       * @returns {string}
       */
      commandUsage(cmd) {
        let cmdName = cmd._name;
        if (cmd._aliases[0]) {
          cmdName = cmdName + "|" + cmd._aliases[0];
        }
        let ancestorCmdNames = "";
        for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) {
          ancestorCmdNames = ancestorCmd.name() + " " + ancestorCmdNames;
        }
        return ancestorCmdNames + cmdName + " " + cmd.usage();
      }
      /**
       * Get the description for the command.
       *
       * @param {Command} cmd
       * @returns {string}
       */
      commandDescription(cmd) {
        return cmd.description();
      }
      /**
       * Get the subcommand summary to show in the list of subcommands.
       * (Fallback to description for backwards compatibility.)
       *
       * @param {Command} cmd
       * @returns {string}
       */
      subcommandDescription(cmd) {
        return cmd.summary() || cmd.description();
      }
      /**
       * Get the option description to show in the list of options.
       *
       * @param {Option} option
       * @return {string}
       */
      optionDescription(option) {
        const extraInfo = [];
        if (option.argChoices) {
          extraInfo.push(
            // use stringify to match the display of the default value
            `choices: ${option.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`
          );
        }
        if (option.defaultValue !== void 0) {
          const showDefault = option.required || option.optional || option.isBoolean() && typeof option.defaultValue === "boolean";
          if (showDefault) {
            extraInfo.push(
              `default: ${option.defaultValueDescription || JSON.stringify(option.defaultValue)}`
            );
          }
        }
        if (option.presetArg !== void 0 && option.optional) {
          extraInfo.push(`preset: ${JSON.stringify(option.presetArg)}`);
        }
        if (option.envVar !== void 0) {
          extraInfo.push(`env: ${option.envVar}`);
        }
        if (extraInfo.length > 0) {
          const extraDescription = `(${extraInfo.join(", ")})`;
          if (option.description) {
            return `${option.description} ${extraDescription}`;
          }
          return extraDescription;
        }
        return option.description;
      }
      /**
       * Get the argument description to show in the list of arguments.
       *
       * @param {Argument} argument
       * @return {string}
       */
      argumentDescription(argument) {
        const extraInfo = [];
        if (argument.argChoices) {
          extraInfo.push(
            // use stringify to match the display of the default value
            `choices: ${argument.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`
          );
        }
        if (argument.defaultValue !== void 0) {
          extraInfo.push(
            `default: ${argument.defaultValueDescription || JSON.stringify(argument.defaultValue)}`
          );
        }
        if (extraInfo.length > 0) {
          const extraDescription = `(${extraInfo.join(", ")})`;
          if (argument.description) {
            return `${argument.description} ${extraDescription}`;
          }
          return extraDescription;
        }
        return argument.description;
      }
      /**
       * Format a list of items, given a heading and an array of formatted items.
       *
       * @param {string} heading
       * @param {string[]} items
       * @param {Help} helper
       * @returns string[]
       */
      formatItemList(heading, items, helper) {
        if (items.length === 0) return [];
        return [helper.styleTitle(heading), ...items, ""];
      }
      /**
       * Group items by their help group heading.
       *
       * @param {Command[] | Option[]} unsortedItems
       * @param {Command[] | Option[]} visibleItems
       * @param {Function} getGroup
       * @returns {Map<string, Command[] | Option[]>}
       */
      groupItems(unsortedItems, visibleItems, getGroup) {
        const result = /* @__PURE__ */ new Map();
        unsortedItems.forEach((item) => {
          const group2 = getGroup(item);
          if (!result.has(group2)) result.set(group2, []);
        });
        visibleItems.forEach((item) => {
          const group2 = getGroup(item);
          if (!result.has(group2)) {
            result.set(group2, []);
          }
          result.get(group2).push(item);
        });
        return result;
      }
      /**
       * Generate the built-in help text.
       *
       * @param {Command} cmd
       * @param {Help} helper
       * @returns {string}
       */
      formatHelp(cmd, helper) {
        const termWidth = helper.padWidth(cmd, helper);
        const helpWidth = helper.helpWidth ?? 80;
        function callFormatItem(term, description) {
          return helper.formatItem(term, termWidth, description, helper);
        }
        let output = [
          `${helper.styleTitle("Usage:")} ${helper.styleUsage(helper.commandUsage(cmd))}`,
          ""
        ];
        const commandDescription = helper.commandDescription(cmd);
        if (commandDescription.length > 0) {
          output = output.concat([
            helper.boxWrap(
              helper.styleCommandDescription(commandDescription),
              helpWidth
            ),
            ""
          ]);
        }
        const argumentList = helper.visibleArguments(cmd).map((argument) => {
          return callFormatItem(
            helper.styleArgumentTerm(helper.argumentTerm(argument)),
            helper.styleArgumentDescription(helper.argumentDescription(argument))
          );
        });
        output = output.concat(
          this.formatItemList("Arguments:", argumentList, helper)
        );
        const optionGroups = this.groupItems(
          cmd.options,
          helper.visibleOptions(cmd),
          (option) => option.helpGroupHeading ?? "Options:"
        );
        optionGroups.forEach((options, group2) => {
          const optionList = options.map((option) => {
            return callFormatItem(
              helper.styleOptionTerm(helper.optionTerm(option)),
              helper.styleOptionDescription(helper.optionDescription(option))
            );
          });
          output = output.concat(this.formatItemList(group2, optionList, helper));
        });
        if (helper.showGlobalOptions) {
          const globalOptionList = helper.visibleGlobalOptions(cmd).map((option) => {
            return callFormatItem(
              helper.styleOptionTerm(helper.optionTerm(option)),
              helper.styleOptionDescription(helper.optionDescription(option))
            );
          });
          output = output.concat(
            this.formatItemList("Global Options:", globalOptionList, helper)
          );
        }
        const commandGroups = this.groupItems(
          cmd.commands,
          helper.visibleCommands(cmd),
          (sub) => sub.helpGroup() || "Commands:"
        );
        commandGroups.forEach((commands, group2) => {
          const commandList = commands.map((sub) => {
            return callFormatItem(
              helper.styleSubcommandTerm(helper.subcommandTerm(sub)),
              helper.styleSubcommandDescription(helper.subcommandDescription(sub))
            );
          });
          output = output.concat(this.formatItemList(group2, commandList, helper));
        });
        return output.join("\n");
      }
      /**
       * Return display width of string, ignoring ANSI escape sequences. Used in padding and wrapping calculations.
       *
       * @param {string} str
       * @returns {number}
       */
      displayWidth(str) {
        return stripColor(str).length;
      }
      /**
       * Style the title for displaying in the help. Called with 'Usage:', 'Options:', etc.
       *
       * @param {string} str
       * @returns {string}
       */
      styleTitle(str) {
        return str;
      }
      styleUsage(str) {
        return str.split(" ").map((word) => {
          if (word === "[options]") return this.styleOptionText(word);
          if (word === "[command]") return this.styleSubcommandText(word);
          if (word[0] === "[" || word[0] === "<")
            return this.styleArgumentText(word);
          return this.styleCommandText(word);
        }).join(" ");
      }
      styleCommandDescription(str) {
        return this.styleDescriptionText(str);
      }
      styleOptionDescription(str) {
        return this.styleDescriptionText(str);
      }
      styleSubcommandDescription(str) {
        return this.styleDescriptionText(str);
      }
      styleArgumentDescription(str) {
        return this.styleDescriptionText(str);
      }
      styleDescriptionText(str) {
        return str;
      }
      styleOptionTerm(str) {
        return this.styleOptionText(str);
      }
      styleSubcommandTerm(str) {
        return str.split(" ").map((word) => {
          if (word === "[options]") return this.styleOptionText(word);
          if (word[0] === "[" || word[0] === "<")
            return this.styleArgumentText(word);
          return this.styleSubcommandText(word);
        }).join(" ");
      }
      styleArgumentTerm(str) {
        return this.styleArgumentText(str);
      }
      styleOptionText(str) {
        return str;
      }
      styleArgumentText(str) {
        return str;
      }
      styleSubcommandText(str) {
        return str;
      }
      styleCommandText(str) {
        return str;
      }
      /**
       * Calculate the pad width from the maximum term length.
       *
       * @param {Command} cmd
       * @param {Help} helper
       * @returns {number}
       */
      padWidth(cmd, helper) {
        return Math.max(
          helper.longestOptionTermLength(cmd, helper),
          helper.longestGlobalOptionTermLength(cmd, helper),
          helper.longestSubcommandTermLength(cmd, helper),
          helper.longestArgumentTermLength(cmd, helper)
        );
      }
      /**
       * Detect manually wrapped and indented strings by checking for line break followed by whitespace.
       *
       * @param {string} str
       * @returns {boolean}
       */
      preformatted(str) {
        return /\n[^\S\r\n]/.test(str);
      }
      /**
       * Format the "item", which consists of a term and description. Pad the term and wrap the description, indenting the following lines.
       *
       * So "TTT", 5, "DDD DDDD DD DDD" might be formatted for this.helpWidth=17 like so:
       *   TTT  DDD DDDD
       *        DD DDD
       *
       * @param {string} term
       * @param {number} termWidth
       * @param {string} description
       * @param {Help} helper
       * @returns {string}
       */
      formatItem(term, termWidth, description, helper) {
        const itemIndent = 2;
        const itemIndentStr = " ".repeat(itemIndent);
        if (!description) return itemIndentStr + term;
        const paddedTerm = term.padEnd(
          termWidth + term.length - helper.displayWidth(term)
        );
        const spacerWidth = 2;
        const helpWidth = this.helpWidth ?? 80;
        const remainingWidth = helpWidth - termWidth - spacerWidth - itemIndent;
        let formattedDescription;
        if (remainingWidth < this.minWidthToWrap || helper.preformatted(description)) {
          formattedDescription = description;
        } else {
          const wrappedDescription = helper.boxWrap(description, remainingWidth);
          formattedDescription = wrappedDescription.replace(
            /\n/g,
            "\n" + " ".repeat(termWidth + spacerWidth)
          );
        }
        return itemIndentStr + paddedTerm + " ".repeat(spacerWidth) + formattedDescription.replace(/\n/g, `
${itemIndentStr}`);
      }
      /**
       * Wrap a string at whitespace, preserving existing line breaks.
       * Wrapping is skipped if the width is less than `minWidthToWrap`.
       *
       * @param {string} str
       * @param {number} width
       * @returns {string}
       */
      boxWrap(str, width) {
        if (width < this.minWidthToWrap) return str;
        const rawLines = str.split(/\r\n|\n/);
        const chunkPattern = /[\s]*[^\s]+/g;
        const wrappedLines = [];
        rawLines.forEach((line) => {
          const chunks = line.match(chunkPattern);
          if (chunks === null) {
            wrappedLines.push("");
            return;
          }
          let sumChunks = [chunks.shift()];
          let sumWidth = this.displayWidth(sumChunks[0]);
          chunks.forEach((chunk) => {
            const visibleWidth = this.displayWidth(chunk);
            if (sumWidth + visibleWidth <= width) {
              sumChunks.push(chunk);
              sumWidth += visibleWidth;
              return;
            }
            wrappedLines.push(sumChunks.join(""));
            const nextChunk = chunk.trimStart();
            sumChunks = [nextChunk];
            sumWidth = this.displayWidth(nextChunk);
          });
          wrappedLines.push(sumChunks.join(""));
        });
        return wrappedLines.join("\n");
      }
    };
    function stripColor(str) {
      const sgrPattern = /\x1b\[\d*(;\d*)*m/g;
      return str.replace(sgrPattern, "");
    }
    exports2.Help = Help2;
    exports2.stripColor = stripColor;
  }
});

// node_modules/commander/lib/option.js
var require_option = __commonJS({
  "node_modules/commander/lib/option.js"(exports2) {
    var { InvalidArgumentError: InvalidArgumentError2 } = require_error();
    var Option2 = class {
      /**
       * Initialize a new `Option` with the given `flags` and `description`.
       *
       * @param {string} flags
       * @param {string} [description]
       */
      constructor(flags, description) {
        this.flags = flags;
        this.description = description || "";
        this.required = flags.includes("<");
        this.optional = flags.includes("[");
        this.variadic = /\w\.\.\.[>\]]$/.test(flags);
        this.mandatory = false;
        const optionFlags = splitOptionFlags(flags);
        this.short = optionFlags.shortFlag;
        this.long = optionFlags.longFlag;
        this.negate = false;
        if (this.long) {
          this.negate = this.long.startsWith("--no-");
        }
        this.defaultValue = void 0;
        this.defaultValueDescription = void 0;
        this.presetArg = void 0;
        this.envVar = void 0;
        this.parseArg = void 0;
        this.hidden = false;
        this.argChoices = void 0;
        this.conflictsWith = [];
        this.implied = void 0;
        this.helpGroupHeading = void 0;
      }
      /**
       * Set the default value, and optionally supply the description to be displayed in the help.
       *
       * @param {*} value
       * @param {string} [description]
       * @return {Option}
       */
      default(value, description) {
        this.defaultValue = value;
        this.defaultValueDescription = description;
        return this;
      }
      /**
       * Preset to use when option used without option-argument, especially optional but also boolean and negated.
       * The custom processing (parseArg) is called.
       *
       * @example
       * new Option('--color').default('GREYSCALE').preset('RGB');
       * new Option('--donate [amount]').preset('20').argParser(parseFloat);
       *
       * @param {*} arg
       * @return {Option}
       */
      preset(arg) {
        this.presetArg = arg;
        return this;
      }
      /**
       * Add option name(s) that conflict with this option.
       * An error will be displayed if conflicting options are found during parsing.
       *
       * @example
       * new Option('--rgb').conflicts('cmyk');
       * new Option('--js').conflicts(['ts', 'jsx']);
       *
       * @param {(string | string[])} names
       * @return {Option}
       */
      conflicts(names) {
        this.conflictsWith = this.conflictsWith.concat(names);
        return this;
      }
      /**
       * Specify implied option values for when this option is set and the implied options are not.
       *
       * The custom processing (parseArg) is not called on the implied values.
       *
       * @example
       * program
       *   .addOption(new Option('--log', 'write logging information to file'))
       *   .addOption(new Option('--trace', 'log extra details').implies({ log: 'trace.txt' }));
       *
       * @param {object} impliedOptionValues
       * @return {Option}
       */
      implies(impliedOptionValues) {
        let newImplied = impliedOptionValues;
        if (typeof impliedOptionValues === "string") {
          newImplied = { [impliedOptionValues]: true };
        }
        this.implied = Object.assign(this.implied || {}, newImplied);
        return this;
      }
      /**
       * Set environment variable to check for option value.
       *
       * An environment variable is only used if when processed the current option value is
       * undefined, or the source of the current value is 'default' or 'config' or 'env'.
       *
       * @param {string} name
       * @return {Option}
       */
      env(name) {
        this.envVar = name;
        return this;
      }
      /**
       * Set the custom handler for processing CLI option arguments into option values.
       *
       * @param {Function} [fn]
       * @return {Option}
       */
      argParser(fn) {
        this.parseArg = fn;
        return this;
      }
      /**
       * Whether the option is mandatory and must have a value after parsing.
       *
       * @param {boolean} [mandatory=true]
       * @return {Option}
       */
      makeOptionMandatory(mandatory = true) {
        this.mandatory = !!mandatory;
        return this;
      }
      /**
       * Hide option in help.
       *
       * @param {boolean} [hide=true]
       * @return {Option}
       */
      hideHelp(hide2 = true) {
        this.hidden = !!hide2;
        return this;
      }
      /**
       * @package
       */
      _collectValue(value, previous) {
        if (previous === this.defaultValue || !Array.isArray(previous)) {
          return [value];
        }
        previous.push(value);
        return previous;
      }
      /**
       * Only allow option value to be one of choices.
       *
       * @param {string[]} values
       * @return {Option}
       */
      choices(values) {
        this.argChoices = values.slice();
        this.parseArg = (arg, previous) => {
          if (!this.argChoices.includes(arg)) {
            throw new InvalidArgumentError2(
              `Allowed choices are ${this.argChoices.join(", ")}.`
            );
          }
          if (this.variadic) {
            return this._collectValue(arg, previous);
          }
          return arg;
        };
        return this;
      }
      /**
       * Return option name.
       *
       * @return {string}
       */
      name() {
        if (this.long) {
          return this.long.replace(/^--/, "");
        }
        return this.short.replace(/^-/, "");
      }
      /**
       * Return option name, in a camelcase format that can be used
       * as an object attribute key.
       *
       * @return {string}
       */
      attributeName() {
        if (this.negate) {
          return camelcase(this.name().replace(/^no-/, ""));
        }
        return camelcase(this.name());
      }
      /**
       * Set the help group heading.
       *
       * @param {string} heading
       * @return {Option}
       */
      helpGroup(heading) {
        this.helpGroupHeading = heading;
        return this;
      }
      /**
       * Check if `arg` matches the short or long flag.
       *
       * @param {string} arg
       * @return {boolean}
       * @package
       */
      is(arg) {
        return this.short === arg || this.long === arg;
      }
      /**
       * Return whether a boolean option.
       *
       * Options are one of boolean, negated, required argument, or optional argument.
       *
       * @return {boolean}
       * @package
       */
      isBoolean() {
        return !this.required && !this.optional && !this.negate;
      }
    };
    var DualOptions = class {
      /**
       * @param {Option[]} options
       */
      constructor(options) {
        this.positiveOptions = /* @__PURE__ */ new Map();
        this.negativeOptions = /* @__PURE__ */ new Map();
        this.dualOptions = /* @__PURE__ */ new Set();
        options.forEach((option) => {
          if (option.negate) {
            this.negativeOptions.set(option.attributeName(), option);
          } else {
            this.positiveOptions.set(option.attributeName(), option);
          }
        });
        this.negativeOptions.forEach((value, key) => {
          if (this.positiveOptions.has(key)) {
            this.dualOptions.add(key);
          }
        });
      }
      /**
       * Did the value come from the option, and not from possible matching dual option?
       *
       * @param {*} value
       * @param {Option} option
       * @returns {boolean}
       */
      valueFromOption(value, option) {
        const optionKey = option.attributeName();
        if (!this.dualOptions.has(optionKey)) return true;
        const preset = this.negativeOptions.get(optionKey).presetArg;
        const negativeValue = preset !== void 0 ? preset : false;
        return option.negate === (negativeValue === value);
      }
    };
    function camelcase(str) {
      return str.split("-").reduce((str2, word) => {
        return str2 + word[0].toUpperCase() + word.slice(1);
      });
    }
    function splitOptionFlags(flags) {
      let shortFlag;
      let longFlag;
      const shortFlagExp = /^-[^-]$/;
      const longFlagExp = /^--[^-]/;
      const flagParts = flags.split(/[ |,]+/).concat("guard");
      if (shortFlagExp.test(flagParts[0])) shortFlag = flagParts.shift();
      if (longFlagExp.test(flagParts[0])) longFlag = flagParts.shift();
      if (!shortFlag && shortFlagExp.test(flagParts[0]))
        shortFlag = flagParts.shift();
      if (!shortFlag && longFlagExp.test(flagParts[0])) {
        shortFlag = longFlag;
        longFlag = flagParts.shift();
      }
      if (flagParts[0].startsWith("-")) {
        const unsupportedFlag = flagParts[0];
        const baseError = `option creation failed due to '${unsupportedFlag}' in option flags '${flags}'`;
        if (/^-[^-][^-]/.test(unsupportedFlag))
          throw new Error(
            `${baseError}
- a short flag is a single dash and a single character
  - either use a single dash and a single character (for a short flag)
  - or use a double dash for a long option (and can have two, like '--ws, --workspace')`
          );
        if (shortFlagExp.test(unsupportedFlag))
          throw new Error(`${baseError}
- too many short flags`);
        if (longFlagExp.test(unsupportedFlag))
          throw new Error(`${baseError}
- too many long flags`);
        throw new Error(`${baseError}
- unrecognised flag format`);
      }
      if (shortFlag === void 0 && longFlag === void 0)
        throw new Error(
          `option creation failed due to no flags found in '${flags}'.`
        );
      return { shortFlag, longFlag };
    }
    exports2.Option = Option2;
    exports2.DualOptions = DualOptions;
  }
});

// node_modules/commander/lib/suggestSimilar.js
var require_suggestSimilar = __commonJS({
  "node_modules/commander/lib/suggestSimilar.js"(exports2) {
    var maxDistance = 3;
    function editDistance(a, b) {
      if (Math.abs(a.length - b.length) > maxDistance)
        return Math.max(a.length, b.length);
      const d = [];
      for (let i = 0; i <= a.length; i++) {
        d[i] = [i];
      }
      for (let j = 0; j <= b.length; j++) {
        d[0][j] = j;
      }
      for (let j = 1; j <= b.length; j++) {
        for (let i = 1; i <= a.length; i++) {
          let cost = 1;
          if (a[i - 1] === b[j - 1]) {
            cost = 0;
          } else {
            cost = 1;
          }
          d[i][j] = Math.min(
            d[i - 1][j] + 1,
            // deletion
            d[i][j - 1] + 1,
            // insertion
            d[i - 1][j - 1] + cost
            // substitution
          );
          if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
            d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
          }
        }
      }
      return d[a.length][b.length];
    }
    function suggestSimilar(word, candidates2) {
      if (!candidates2 || candidates2.length === 0) return "";
      candidates2 = Array.from(new Set(candidates2));
      const searchingOptions = word.startsWith("--");
      if (searchingOptions) {
        word = word.slice(2);
        candidates2 = candidates2.map((candidate) => candidate.slice(2));
      }
      let similar = [];
      let bestDistance = maxDistance;
      const minSimilarity = 0.4;
      candidates2.forEach((candidate) => {
        if (candidate.length <= 1) return;
        const distance2 = editDistance(word, candidate);
        const length = Math.max(word.length, candidate.length);
        const similarity = (length - distance2) / length;
        if (similarity > minSimilarity) {
          if (distance2 < bestDistance) {
            bestDistance = distance2;
            similar = [candidate];
          } else if (distance2 === bestDistance) {
            similar.push(candidate);
          }
        }
      });
      similar.sort((a, b) => a.localeCompare(b));
      if (searchingOptions) {
        similar = similar.map((candidate) => `--${candidate}`);
      }
      if (similar.length > 1) {
        return `
(Did you mean one of ${similar.join(", ")}?)`;
      }
      if (similar.length === 1) {
        return `
(Did you mean ${similar[0]}?)`;
      }
      return "";
    }
    exports2.suggestSimilar = suggestSimilar;
  }
});

// node_modules/commander/lib/command.js
var require_command = __commonJS({
  "node_modules/commander/lib/command.js"(exports2) {
    var EventEmitter = require("node:events").EventEmitter;
    var childProcess = require("node:child_process");
    var path = require("node:path");
    var fs = require("node:fs");
    var process2 = require("node:process");
    var { Argument: Argument2, humanReadableArgName } = require_argument();
    var { CommanderError: CommanderError2 } = require_error();
    var { Help: Help2, stripColor } = require_help();
    var { Option: Option2, DualOptions } = require_option();
    var { suggestSimilar } = require_suggestSimilar();
    var Command2 = class _Command extends EventEmitter {
      /**
       * Initialize a new `Command`.
       *
       * @param {string} [name]
       */
      constructor(name) {
        super();
        this.commands = [];
        this.options = [];
        this.parent = null;
        this._allowUnknownOption = false;
        this._allowExcessArguments = false;
        this.registeredArguments = [];
        this._args = this.registeredArguments;
        this.args = [];
        this.rawArgs = [];
        this.processedArgs = [];
        this._scriptPath = null;
        this._name = name || "";
        this._optionValues = {};
        this._optionValueSources = {};
        this._storeOptionsAsProperties = false;
        this._actionHandler = null;
        this._executableHandler = false;
        this._executableFile = null;
        this._executableDir = null;
        this._defaultCommandName = null;
        this._exitCallback = null;
        this._aliases = [];
        this._combineFlagAndOptionalValue = true;
        this._description = "";
        this._summary = "";
        this._argsDescription = void 0;
        this._enablePositionalOptions = false;
        this._passThroughOptions = false;
        this._lifeCycleHooks = {};
        this._showHelpAfterError = false;
        this._showSuggestionAfterError = true;
        this._savedState = null;
        this._outputConfiguration = {
          writeOut: (str) => process2.stdout.write(str),
          writeErr: (str) => process2.stderr.write(str),
          outputError: (str, write) => write(str),
          getOutHelpWidth: () => process2.stdout.isTTY ? process2.stdout.columns : void 0,
          getErrHelpWidth: () => process2.stderr.isTTY ? process2.stderr.columns : void 0,
          getOutHasColors: () => useColor() ?? (process2.stdout.isTTY && process2.stdout.hasColors?.()),
          getErrHasColors: () => useColor() ?? (process2.stderr.isTTY && process2.stderr.hasColors?.()),
          stripColor: (str) => stripColor(str)
        };
        this._hidden = false;
        this._helpOption = void 0;
        this._addImplicitHelpCommand = void 0;
        this._helpCommand = void 0;
        this._helpConfiguration = {};
        this._helpGroupHeading = void 0;
        this._defaultCommandGroup = void 0;
        this._defaultOptionGroup = void 0;
      }
      /**
       * Copy settings that are useful to have in common across root command and subcommands.
       *
       * (Used internally when adding a command using `.command()` so subcommands inherit parent settings.)
       *
       * @param {Command} sourceCommand
       * @return {Command} `this` command for chaining
       */
      copyInheritedSettings(sourceCommand) {
        this._outputConfiguration = sourceCommand._outputConfiguration;
        this._helpOption = sourceCommand._helpOption;
        this._helpCommand = sourceCommand._helpCommand;
        this._helpConfiguration = sourceCommand._helpConfiguration;
        this._exitCallback = sourceCommand._exitCallback;
        this._storeOptionsAsProperties = sourceCommand._storeOptionsAsProperties;
        this._combineFlagAndOptionalValue = sourceCommand._combineFlagAndOptionalValue;
        this._allowExcessArguments = sourceCommand._allowExcessArguments;
        this._enablePositionalOptions = sourceCommand._enablePositionalOptions;
        this._showHelpAfterError = sourceCommand._showHelpAfterError;
        this._showSuggestionAfterError = sourceCommand._showSuggestionAfterError;
        return this;
      }
      /**
       * @returns {Command[]}
       * @private
       */
      _getCommandAndAncestors() {
        const result = [];
        for (let command = this; command; command = command.parent) {
          result.push(command);
        }
        return result;
      }
      /**
       * Define a command.
       *
       * There are two styles of command: pay attention to where to put the description.
       *
       * @example
       * // Command implemented using action handler (description is supplied separately to `.command`)
       * program
       *   .command('clone <source> [destination]')
       *   .description('clone a repository into a newly created directory')
       *   .action((source, destination) => {
       *     console.log('clone command called');
       *   });
       *
       * // Command implemented using separate executable file (description is second parameter to `.command`)
       * program
       *   .command('start <service>', 'start named service')
       *   .command('stop [service]', 'stop named service, or all if no name supplied');
       *
       * @param {string} nameAndArgs - command name and arguments, args are `<required>` or `[optional]` and last may also be `variadic...`
       * @param {(object | string)} [actionOptsOrExecDesc] - configuration options (for action), or description (for executable)
       * @param {object} [execOpts] - configuration options (for executable)
       * @return {Command} returns new command for action handler, or `this` for executable command
       */
      command(nameAndArgs, actionOptsOrExecDesc, execOpts) {
        let desc = actionOptsOrExecDesc;
        let opts = execOpts;
        if (typeof desc === "object" && desc !== null) {
          opts = desc;
          desc = null;
        }
        opts = opts || {};
        const [, name, args] = nameAndArgs.match(/([^ ]+) *(.*)/);
        const cmd = this.createCommand(name);
        if (desc) {
          cmd.description(desc);
          cmd._executableHandler = true;
        }
        if (opts.isDefault) this._defaultCommandName = cmd._name;
        cmd._hidden = !!(opts.noHelp || opts.hidden);
        cmd._executableFile = opts.executableFile || null;
        if (args) cmd.arguments(args);
        this._registerCommand(cmd);
        cmd.parent = this;
        cmd.copyInheritedSettings(this);
        if (desc) return this;
        return cmd;
      }
      /**
       * Factory routine to create a new unattached command.
       *
       * See .command() for creating an attached subcommand, which uses this routine to
       * create the command. You can override createCommand to customise subcommands.
       *
       * @param {string} [name]
       * @return {Command} new command
       */
      createCommand(name) {
        return new _Command(name);
      }
      /**
       * You can customise the help with a subclass of Help by overriding createHelp,
       * or by overriding Help properties using configureHelp().
       *
       * @return {Help}
       */
      createHelp() {
        return Object.assign(new Help2(), this.configureHelp());
      }
      /**
       * You can customise the help by overriding Help properties using configureHelp(),
       * or with a subclass of Help by overriding createHelp().
       *
       * @param {object} [configuration] - configuration options
       * @return {(Command | object)} `this` command for chaining, or stored configuration
       */
      configureHelp(configuration) {
        if (configuration === void 0) return this._helpConfiguration;
        this._helpConfiguration = configuration;
        return this;
      }
      /**
       * The default output goes to stdout and stderr. You can customise this for special
       * applications. You can also customise the display of errors by overriding outputError.
       *
       * The configuration properties are all functions:
       *
       *     // change how output being written, defaults to stdout and stderr
       *     writeOut(str)
       *     writeErr(str)
       *     // change how output being written for errors, defaults to writeErr
       *     outputError(str, write) // used for displaying errors and not used for displaying help
       *     // specify width for wrapping help
       *     getOutHelpWidth()
       *     getErrHelpWidth()
       *     // color support, currently only used with Help
       *     getOutHasColors()
       *     getErrHasColors()
       *     stripColor() // used to remove ANSI escape codes if output does not have colors
       *
       * @param {object} [configuration] - configuration options
       * @return {(Command | object)} `this` command for chaining, or stored configuration
       */
      configureOutput(configuration) {
        if (configuration === void 0) return this._outputConfiguration;
        this._outputConfiguration = {
          ...this._outputConfiguration,
          ...configuration
        };
        return this;
      }
      /**
       * Display the help or a custom message after an error occurs.
       *
       * @param {(boolean|string)} [displayHelp]
       * @return {Command} `this` command for chaining
       */
      showHelpAfterError(displayHelp = true) {
        if (typeof displayHelp !== "string") displayHelp = !!displayHelp;
        this._showHelpAfterError = displayHelp;
        return this;
      }
      /**
       * Display suggestion of similar commands for unknown commands, or options for unknown options.
       *
       * @param {boolean} [displaySuggestion]
       * @return {Command} `this` command for chaining
       */
      showSuggestionAfterError(displaySuggestion = true) {
        this._showSuggestionAfterError = !!displaySuggestion;
        return this;
      }
      /**
       * Add a prepared subcommand.
       *
       * See .command() for creating an attached subcommand which inherits settings from its parent.
       *
       * @param {Command} cmd - new subcommand
       * @param {object} [opts] - configuration options
       * @return {Command} `this` command for chaining
       */
      addCommand(cmd, opts) {
        if (!cmd._name) {
          throw new Error(`Command passed to .addCommand() must have a name
- specify the name in Command constructor or using .name()`);
        }
        opts = opts || {};
        if (opts.isDefault) this._defaultCommandName = cmd._name;
        if (opts.noHelp || opts.hidden) cmd._hidden = true;
        this._registerCommand(cmd);
        cmd.parent = this;
        cmd._checkForBrokenPassThrough();
        return this;
      }
      /**
       * Factory routine to create a new unattached argument.
       *
       * See .argument() for creating an attached argument, which uses this routine to
       * create the argument. You can override createArgument to return a custom argument.
       *
       * @param {string} name
       * @param {string} [description]
       * @return {Argument} new argument
       */
      createArgument(name, description) {
        return new Argument2(name, description);
      }
      /**
       * Define argument syntax for command.
       *
       * The default is that the argument is required, and you can explicitly
       * indicate this with <> around the name. Put [] around the name for an optional argument.
       *
       * @example
       * program.argument('<input-file>');
       * program.argument('[output-file]');
       *
       * @param {string} name
       * @param {string} [description]
       * @param {(Function|*)} [parseArg] - custom argument processing function or default value
       * @param {*} [defaultValue]
       * @return {Command} `this` command for chaining
       */
      argument(name, description, parseArg, defaultValue) {
        const argument = this.createArgument(name, description);
        if (typeof parseArg === "function") {
          argument.default(defaultValue).argParser(parseArg);
        } else {
          argument.default(parseArg);
        }
        this.addArgument(argument);
        return this;
      }
      /**
       * Define argument syntax for command, adding multiple at once (without descriptions).
       *
       * See also .argument().
       *
       * @example
       * program.arguments('<cmd> [env]');
       *
       * @param {string} names
       * @return {Command} `this` command for chaining
       */
      arguments(names) {
        names.trim().split(/ +/).forEach((detail) => {
          this.argument(detail);
        });
        return this;
      }
      /**
       * Define argument syntax for command, adding a prepared argument.
       *
       * @param {Argument} argument
       * @return {Command} `this` command for chaining
       */
      addArgument(argument) {
        const previousArgument = this.registeredArguments.slice(-1)[0];
        if (previousArgument?.variadic) {
          throw new Error(
            `only the last argument can be variadic '${previousArgument.name()}'`
          );
        }
        if (argument.required && argument.defaultValue !== void 0 && argument.parseArg === void 0) {
          throw new Error(
            `a default value for a required argument is never used: '${argument.name()}'`
          );
        }
        this.registeredArguments.push(argument);
        return this;
      }
      /**
       * Customise or override default help command. By default a help command is automatically added if your command has subcommands.
       *
       * @example
       *    program.helpCommand('help [cmd]');
       *    program.helpCommand('help [cmd]', 'show help');
       *    program.helpCommand(false); // suppress default help command
       *    program.helpCommand(true); // add help command even if no subcommands
       *
       * @param {string|boolean} enableOrNameAndArgs - enable with custom name and/or arguments, or boolean to override whether added
       * @param {string} [description] - custom description
       * @return {Command} `this` command for chaining
       */
      helpCommand(enableOrNameAndArgs, description) {
        if (typeof enableOrNameAndArgs === "boolean") {
          this._addImplicitHelpCommand = enableOrNameAndArgs;
          if (enableOrNameAndArgs && this._defaultCommandGroup) {
            this._initCommandGroup(this._getHelpCommand());
          }
          return this;
        }
        const nameAndArgs = enableOrNameAndArgs ?? "help [command]";
        const [, helpName, helpArgs] = nameAndArgs.match(/([^ ]+) *(.*)/);
        const helpDescription = description ?? "display help for command";
        const helpCommand = this.createCommand(helpName);
        helpCommand.helpOption(false);
        if (helpArgs) helpCommand.arguments(helpArgs);
        if (helpDescription) helpCommand.description(helpDescription);
        this._addImplicitHelpCommand = true;
        this._helpCommand = helpCommand;
        if (enableOrNameAndArgs || description) this._initCommandGroup(helpCommand);
        return this;
      }
      /**
       * Add prepared custom help command.
       *
       * @param {(Command|string|boolean)} helpCommand - custom help command, or deprecated enableOrNameAndArgs as for `.helpCommand()`
       * @param {string} [deprecatedDescription] - deprecated custom description used with custom name only
       * @return {Command} `this` command for chaining
       */
      addHelpCommand(helpCommand, deprecatedDescription) {
        if (typeof helpCommand !== "object") {
          this.helpCommand(helpCommand, deprecatedDescription);
          return this;
        }
        this._addImplicitHelpCommand = true;
        this._helpCommand = helpCommand;
        this._initCommandGroup(helpCommand);
        return this;
      }
      /**
       * Lazy create help command.
       *
       * @return {(Command|null)}
       * @package
       */
      _getHelpCommand() {
        const hasImplicitHelpCommand = this._addImplicitHelpCommand ?? (this.commands.length && !this._actionHandler && !this._findCommand("help"));
        if (hasImplicitHelpCommand) {
          if (this._helpCommand === void 0) {
            this.helpCommand(void 0, void 0);
          }
          return this._helpCommand;
        }
        return null;
      }
      /**
       * Add hook for life cycle event.
       *
       * @param {string} event
       * @param {Function} listener
       * @return {Command} `this` command for chaining
       */
      hook(event, listener) {
        const allowedValues = ["preSubcommand", "preAction", "postAction"];
        if (!allowedValues.includes(event)) {
          throw new Error(`Unexpected value for event passed to hook : '${event}'.
Expecting one of '${allowedValues.join("', '")}'`);
        }
        if (this._lifeCycleHooks[event]) {
          this._lifeCycleHooks[event].push(listener);
        } else {
          this._lifeCycleHooks[event] = [listener];
        }
        return this;
      }
      /**
       * Register callback to use as replacement for calling process.exit.
       *
       * @param {Function} [fn] optional callback which will be passed a CommanderError, defaults to throwing
       * @return {Command} `this` command for chaining
       */
      exitOverride(fn) {
        if (fn) {
          this._exitCallback = fn;
        } else {
          this._exitCallback = (err) => {
            if (err.code !== "commander.executeSubCommandAsync") {
              throw err;
            } else {
            }
          };
        }
        return this;
      }
      /**
       * Call process.exit, and _exitCallback if defined.
       *
       * @param {number} exitCode exit code for using with process.exit
       * @param {string} code an id string representing the error
       * @param {string} message human-readable description of the error
       * @return never
       * @private
       */
      _exit(exitCode, code, message) {
        if (this._exitCallback) {
          this._exitCallback(new CommanderError2(exitCode, code, message));
        }
        process2.exit(exitCode);
      }
      /**
       * Register callback `fn` for the command.
       *
       * @example
       * program
       *   .command('serve')
       *   .description('start service')
       *   .action(function() {
       *      // do work here
       *   });
       *
       * @param {Function} fn
       * @return {Command} `this` command for chaining
       */
      action(fn) {
        const listener = (args) => {
          const expectedArgsCount = this.registeredArguments.length;
          const actionArgs = args.slice(0, expectedArgsCount);
          if (this._storeOptionsAsProperties) {
            actionArgs[expectedArgsCount] = this;
          } else {
            actionArgs[expectedArgsCount] = this.opts();
          }
          actionArgs.push(this);
          return fn.apply(this, actionArgs);
        };
        this._actionHandler = listener;
        return this;
      }
      /**
       * Factory routine to create a new unattached option.
       *
       * See .option() for creating an attached option, which uses this routine to
       * create the option. You can override createOption to return a custom option.
       *
       * @param {string} flags
       * @param {string} [description]
       * @return {Option} new option
       */
      createOption(flags, description) {
        return new Option2(flags, description);
      }
      /**
       * Wrap parseArgs to catch 'commander.invalidArgument'.
       *
       * @param {(Option | Argument)} target
       * @param {string} value
       * @param {*} previous
       * @param {string} invalidArgumentMessage
       * @private
       */
      _callParseArg(target, value, previous, invalidArgumentMessage) {
        try {
          return target.parseArg(value, previous);
        } catch (err) {
          if (err.code === "commander.invalidArgument") {
            const message = `${invalidArgumentMessage} ${err.message}`;
            this.error(message, { exitCode: err.exitCode, code: err.code });
          }
          throw err;
        }
      }
      /**
       * Check for option flag conflicts.
       * Register option if no conflicts found, or throw on conflict.
       *
       * @param {Option} option
       * @private
       */
      _registerOption(option) {
        const matchingOption = option.short && this._findOption(option.short) || option.long && this._findOption(option.long);
        if (matchingOption) {
          const matchingFlag = option.long && this._findOption(option.long) ? option.long : option.short;
          throw new Error(`Cannot add option '${option.flags}'${this._name && ` to command '${this._name}'`} due to conflicting flag '${matchingFlag}'
-  already used by option '${matchingOption.flags}'`);
        }
        this._initOptionGroup(option);
        this.options.push(option);
      }
      /**
       * Check for command name and alias conflicts with existing commands.
       * Register command if no conflicts found, or throw on conflict.
       *
       * @param {Command} command
       * @private
       */
      _registerCommand(command) {
        const knownBy = (cmd) => {
          return [cmd.name()].concat(cmd.aliases());
        };
        const alreadyUsed = knownBy(command).find(
          (name) => this._findCommand(name)
        );
        if (alreadyUsed) {
          const existingCmd = knownBy(this._findCommand(alreadyUsed)).join("|");
          const newCmd = knownBy(command).join("|");
          throw new Error(
            `cannot add command '${newCmd}' as already have command '${existingCmd}'`
          );
        }
        this._initCommandGroup(command);
        this.commands.push(command);
      }
      /**
       * Add an option.
       *
       * @param {Option} option
       * @return {Command} `this` command for chaining
       */
      addOption(option) {
        this._registerOption(option);
        const oname = option.name();
        const name = option.attributeName();
        if (option.negate) {
          const positiveLongFlag = option.long.replace(/^--no-/, "--");
          if (!this._findOption(positiveLongFlag)) {
            this.setOptionValueWithSource(
              name,
              option.defaultValue === void 0 ? true : option.defaultValue,
              "default"
            );
          }
        } else if (option.defaultValue !== void 0) {
          this.setOptionValueWithSource(name, option.defaultValue, "default");
        }
        const handleOptionValue = (val, invalidValueMessage, valueSource) => {
          if (val == null && option.presetArg !== void 0) {
            val = option.presetArg;
          }
          const oldValue = this.getOptionValue(name);
          if (val !== null && option.parseArg) {
            val = this._callParseArg(option, val, oldValue, invalidValueMessage);
          } else if (val !== null && option.variadic) {
            val = option._collectValue(val, oldValue);
          }
          if (val == null) {
            if (option.negate) {
              val = false;
            } else if (option.isBoolean() || option.optional) {
              val = true;
            } else {
              val = "";
            }
          }
          this.setOptionValueWithSource(name, val, valueSource);
        };
        this.on("option:" + oname, (val) => {
          const invalidValueMessage = `error: option '${option.flags}' argument '${val}' is invalid.`;
          handleOptionValue(val, invalidValueMessage, "cli");
        });
        if (option.envVar) {
          this.on("optionEnv:" + oname, (val) => {
            const invalidValueMessage = `error: option '${option.flags}' value '${val}' from env '${option.envVar}' is invalid.`;
            handleOptionValue(val, invalidValueMessage, "env");
          });
        }
        return this;
      }
      /**
       * Internal implementation shared by .option() and .requiredOption()
       *
       * @return {Command} `this` command for chaining
       * @private
       */
      _optionEx(config2, flags, description, fn, defaultValue) {
        if (typeof flags === "object" && flags instanceof Option2) {
          throw new Error(
            "To add an Option object use addOption() instead of option() or requiredOption()"
          );
        }
        const option = this.createOption(flags, description);
        option.makeOptionMandatory(!!config2.mandatory);
        if (typeof fn === "function") {
          option.default(defaultValue).argParser(fn);
        } else if (fn instanceof RegExp) {
          const regex = fn;
          fn = (val, def) => {
            const m = regex.exec(val);
            return m ? m[0] : def;
          };
          option.default(defaultValue).argParser(fn);
        } else {
          option.default(fn);
        }
        return this.addOption(option);
      }
      /**
       * Define option with `flags`, `description`, and optional argument parsing function or `defaultValue` or both.
       *
       * The `flags` string contains the short and/or long flags, separated by comma, a pipe or space. A required
       * option-argument is indicated by `<>` and an optional option-argument by `[]`.
       *
       * See the README for more details, and see also addOption() and requiredOption().
       *
       * @example
       * program
       *     .option('-p, --pepper', 'add pepper')
       *     .option('--pt, --pizza-type <TYPE>', 'type of pizza') // required option-argument
       *     .option('-c, --cheese [CHEESE]', 'add extra cheese', 'mozzarella') // optional option-argument with default
       *     .option('-t, --tip <VALUE>', 'add tip to purchase cost', parseFloat) // custom parse function
       *
       * @param {string} flags
       * @param {string} [description]
       * @param {(Function|*)} [parseArg] - custom option processing function or default value
       * @param {*} [defaultValue]
       * @return {Command} `this` command for chaining
       */
      option(flags, description, parseArg, defaultValue) {
        return this._optionEx({}, flags, description, parseArg, defaultValue);
      }
      /**
       * Add a required option which must have a value after parsing. This usually means
       * the option must be specified on the command line. (Otherwise the same as .option().)
       *
       * The `flags` string contains the short and/or long flags, separated by comma, a pipe or space.
       *
       * @param {string} flags
       * @param {string} [description]
       * @param {(Function|*)} [parseArg] - custom option processing function or default value
       * @param {*} [defaultValue]
       * @return {Command} `this` command for chaining
       */
      requiredOption(flags, description, parseArg, defaultValue) {
        return this._optionEx(
          { mandatory: true },
          flags,
          description,
          parseArg,
          defaultValue
        );
      }
      /**
       * Alter parsing of short flags with optional values.
       *
       * @example
       * // for `.option('-f,--flag [value]'):
       * program.combineFlagAndOptionalValue(true);  // `-f80` is treated like `--flag=80`, this is the default behaviour
       * program.combineFlagAndOptionalValue(false) // `-fb` is treated like `-f -b`
       *
       * @param {boolean} [combine] - if `true` or omitted, an optional value can be specified directly after the flag.
       * @return {Command} `this` command for chaining
       */
      combineFlagAndOptionalValue(combine = true) {
        this._combineFlagAndOptionalValue = !!combine;
        return this;
      }
      /**
       * Allow unknown options on the command line.
       *
       * @param {boolean} [allowUnknown] - if `true` or omitted, no error will be thrown for unknown options.
       * @return {Command} `this` command for chaining
       */
      allowUnknownOption(allowUnknown = true) {
        this._allowUnknownOption = !!allowUnknown;
        return this;
      }
      /**
       * Allow excess command-arguments on the command line. Pass false to make excess arguments an error.
       *
       * @param {boolean} [allowExcess] - if `true` or omitted, no error will be thrown for excess arguments.
       * @return {Command} `this` command for chaining
       */
      allowExcessArguments(allowExcess = true) {
        this._allowExcessArguments = !!allowExcess;
        return this;
      }
      /**
       * Enable positional options. Positional means global options are specified before subcommands which lets
       * subcommands reuse the same option names, and also enables subcommands to turn on passThroughOptions.
       * The default behaviour is non-positional and global options may appear anywhere on the command line.
       *
       * @param {boolean} [positional]
       * @return {Command} `this` command for chaining
       */
      enablePositionalOptions(positional = true) {
        this._enablePositionalOptions = !!positional;
        return this;
      }
      /**
       * Pass through options that come after command-arguments rather than treat them as command-options,
       * so actual command-options come before command-arguments. Turning this on for a subcommand requires
       * positional options to have been enabled on the program (parent commands).
       * The default behaviour is non-positional and options may appear before or after command-arguments.
       *
       * @param {boolean} [passThrough] for unknown options.
       * @return {Command} `this` command for chaining
       */
      passThroughOptions(passThrough = true) {
        this._passThroughOptions = !!passThrough;
        this._checkForBrokenPassThrough();
        return this;
      }
      /**
       * @private
       */
      _checkForBrokenPassThrough() {
        if (this.parent && this._passThroughOptions && !this.parent._enablePositionalOptions) {
          throw new Error(
            `passThroughOptions cannot be used for '${this._name}' without turning on enablePositionalOptions for parent command(s)`
          );
        }
      }
      /**
       * Whether to store option values as properties on command object,
       * or store separately (specify false). In both cases the option values can be accessed using .opts().
       *
       * @param {boolean} [storeAsProperties=true]
       * @return {Command} `this` command for chaining
       */
      storeOptionsAsProperties(storeAsProperties = true) {
        if (this.options.length) {
          throw new Error("call .storeOptionsAsProperties() before adding options");
        }
        if (Object.keys(this._optionValues).length) {
          throw new Error(
            "call .storeOptionsAsProperties() before setting option values"
          );
        }
        this._storeOptionsAsProperties = !!storeAsProperties;
        return this;
      }
      /**
       * Retrieve option value.
       *
       * @param {string} key
       * @return {object} value
       */
      getOptionValue(key) {
        if (this._storeOptionsAsProperties) {
          return this[key];
        }
        return this._optionValues[key];
      }
      /**
       * Store option value.
       *
       * @param {string} key
       * @param {object} value
       * @return {Command} `this` command for chaining
       */
      setOptionValue(key, value) {
        return this.setOptionValueWithSource(key, value, void 0);
      }
      /**
       * Store option value and where the value came from.
       *
       * @param {string} key
       * @param {object} value
       * @param {string} source - expected values are default/config/env/cli/implied
       * @return {Command} `this` command for chaining
       */
      setOptionValueWithSource(key, value, source) {
        if (this._storeOptionsAsProperties) {
          this[key] = value;
        } else {
          this._optionValues[key] = value;
        }
        this._optionValueSources[key] = source;
        return this;
      }
      /**
       * Get source of option value.
       * Expected values are default | config | env | cli | implied
       *
       * @param {string} key
       * @return {string}
       */
      getOptionValueSource(key) {
        return this._optionValueSources[key];
      }
      /**
       * Get source of option value. See also .optsWithGlobals().
       * Expected values are default | config | env | cli | implied
       *
       * @param {string} key
       * @return {string}
       */
      getOptionValueSourceWithGlobals(key) {
        let source;
        this._getCommandAndAncestors().forEach((cmd) => {
          if (cmd.getOptionValueSource(key) !== void 0) {
            source = cmd.getOptionValueSource(key);
          }
        });
        return source;
      }
      /**
       * Get user arguments from implied or explicit arguments.
       * Side-effects: set _scriptPath if args included script. Used for default program name, and subcommand searches.
       *
       * @private
       */
      _prepareUserArgs(argv, parseOptions) {
        if (argv !== void 0 && !Array.isArray(argv)) {
          throw new Error("first parameter to parse must be array or undefined");
        }
        parseOptions = parseOptions || {};
        if (argv === void 0 && parseOptions.from === void 0) {
          if (process2.versions?.electron) {
            parseOptions.from = "electron";
          }
          const execArgv = process2.execArgv ?? [];
          if (execArgv.includes("-e") || execArgv.includes("--eval") || execArgv.includes("-p") || execArgv.includes("--print")) {
            parseOptions.from = "eval";
          }
        }
        if (argv === void 0) {
          argv = process2.argv;
        }
        this.rawArgs = argv.slice();
        let userArgs;
        switch (parseOptions.from) {
          case void 0:
          case "node":
            this._scriptPath = argv[1];
            userArgs = argv.slice(2);
            break;
          case "electron":
            if (process2.defaultApp) {
              this._scriptPath = argv[1];
              userArgs = argv.slice(2);
            } else {
              userArgs = argv.slice(1);
            }
            break;
          case "user":
            userArgs = argv.slice(0);
            break;
          case "eval":
            userArgs = argv.slice(1);
            break;
          default:
            throw new Error(
              `unexpected parse option { from: '${parseOptions.from}' }`
            );
        }
        if (!this._name && this._scriptPath)
          this.nameFromFilename(this._scriptPath);
        this._name = this._name || "program";
        return userArgs;
      }
      /**
       * Parse `argv`, setting options and invoking commands when defined.
       *
       * Use parseAsync instead of parse if any of your action handlers are async.
       *
       * Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
       *
       * Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
       * - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
       * - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
       * - `'user'`: just user arguments
       *
       * @example
       * program.parse(); // parse process.argv and auto-detect electron and special node flags
       * program.parse(process.argv); // assume argv[0] is app and argv[1] is script
       * program.parse(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
       *
       * @param {string[]} [argv] - optional, defaults to process.argv
       * @param {object} [parseOptions] - optionally specify style of options with from: node/user/electron
       * @param {string} [parseOptions.from] - where the args are from: 'node', 'user', 'electron'
       * @return {Command} `this` command for chaining
       */
      parse(argv, parseOptions) {
        this._prepareForParse();
        const userArgs = this._prepareUserArgs(argv, parseOptions);
        this._parseCommand([], userArgs);
        return this;
      }
      /**
       * Parse `argv`, setting options and invoking commands when defined.
       *
       * Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
       *
       * Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
       * - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
       * - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
       * - `'user'`: just user arguments
       *
       * @example
       * await program.parseAsync(); // parse process.argv and auto-detect electron and special node flags
       * await program.parseAsync(process.argv); // assume argv[0] is app and argv[1] is script
       * await program.parseAsync(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
       *
       * @param {string[]} [argv]
       * @param {object} [parseOptions]
       * @param {string} parseOptions.from - where the args are from: 'node', 'user', 'electron'
       * @return {Promise}
       */
      async parseAsync(argv, parseOptions) {
        this._prepareForParse();
        const userArgs = this._prepareUserArgs(argv, parseOptions);
        await this._parseCommand([], userArgs);
        return this;
      }
      _prepareForParse() {
        if (this._savedState === null) {
          this.saveStateBeforeParse();
        } else {
          this.restoreStateBeforeParse();
        }
      }
      /**
       * Called the first time parse is called to save state and allow a restore before subsequent calls to parse.
       * Not usually called directly, but available for subclasses to save their custom state.
       *
       * This is called in a lazy way. Only commands used in parsing chain will have state saved.
       */
      saveStateBeforeParse() {
        this._savedState = {
          // name is stable if supplied by author, but may be unspecified for root command and deduced during parsing
          _name: this._name,
          // option values before parse have default values (including false for negated options)
          // shallow clones
          _optionValues: { ...this._optionValues },
          _optionValueSources: { ...this._optionValueSources }
        };
      }
      /**
       * Restore state before parse for calls after the first.
       * Not usually called directly, but available for subclasses to save their custom state.
       *
       * This is called in a lazy way. Only commands used in parsing chain will have state restored.
       */
      restoreStateBeforeParse() {
        if (this._storeOptionsAsProperties)
          throw new Error(`Can not call parse again when storeOptionsAsProperties is true.
- either make a new Command for each call to parse, or stop storing options as properties`);
        this._name = this._savedState._name;
        this._scriptPath = null;
        this.rawArgs = [];
        this._optionValues = { ...this._savedState._optionValues };
        this._optionValueSources = { ...this._savedState._optionValueSources };
        this.args = [];
        this.processedArgs = [];
      }
      /**
       * Throw if expected executable is missing. Add lots of help for author.
       *
       * @param {string} executableFile
       * @param {string} executableDir
       * @param {string} subcommandName
       */
      _checkForMissingExecutable(executableFile, executableDir, subcommandName) {
        if (fs.existsSync(executableFile)) return;
        const executableDirMessage = executableDir ? `searched for local subcommand relative to directory '${executableDir}'` : "no directory for search for local subcommand, use .executableDir() to supply a custom directory";
        const executableMissing = `'${executableFile}' does not exist
 - if '${subcommandName}' is not meant to be an executable command, remove description parameter from '.command()' and use '.description()' instead
 - if the default executable name is not suitable, use the executableFile option to supply a custom name or path
 - ${executableDirMessage}`;
        throw new Error(executableMissing);
      }
      /**
       * Execute a sub-command executable.
       *
       * @private
       */
      _executeSubCommand(subcommand, args) {
        args = args.slice();
        let launchWithNode = false;
        const sourceExt = [".js", ".ts", ".tsx", ".mjs", ".cjs"];
        function findFile(baseDir, baseName) {
          const localBin = path.resolve(baseDir, baseName);
          if (fs.existsSync(localBin)) return localBin;
          if (sourceExt.includes(path.extname(baseName))) return void 0;
          const foundExt = sourceExt.find(
            (ext) => fs.existsSync(`${localBin}${ext}`)
          );
          if (foundExt) return `${localBin}${foundExt}`;
          return void 0;
        }
        this._checkForMissingMandatoryOptions();
        this._checkForConflictingOptions();
        let executableFile = subcommand._executableFile || `${this._name}-${subcommand._name}`;
        let executableDir = this._executableDir || "";
        if (this._scriptPath) {
          let resolvedScriptPath;
          try {
            resolvedScriptPath = fs.realpathSync(this._scriptPath);
          } catch {
            resolvedScriptPath = this._scriptPath;
          }
          executableDir = path.resolve(
            path.dirname(resolvedScriptPath),
            executableDir
          );
        }
        if (executableDir) {
          let localFile = findFile(executableDir, executableFile);
          if (!localFile && !subcommand._executableFile && this._scriptPath) {
            const legacyName = path.basename(
              this._scriptPath,
              path.extname(this._scriptPath)
            );
            if (legacyName !== this._name) {
              localFile = findFile(
                executableDir,
                `${legacyName}-${subcommand._name}`
              );
            }
          }
          executableFile = localFile || executableFile;
        }
        launchWithNode = sourceExt.includes(path.extname(executableFile));
        let proc;
        if (process2.platform !== "win32") {
          if (launchWithNode) {
            args.unshift(executableFile);
            args = incrementNodeInspectorPort(process2.execArgv).concat(args);
            proc = childProcess.spawn(process2.argv[0], args, { stdio: "inherit" });
          } else {
            proc = childProcess.spawn(executableFile, args, { stdio: "inherit" });
          }
        } else {
          this._checkForMissingExecutable(
            executableFile,
            executableDir,
            subcommand._name
          );
          args.unshift(executableFile);
          args = incrementNodeInspectorPort(process2.execArgv).concat(args);
          proc = childProcess.spawn(process2.execPath, args, { stdio: "inherit" });
        }
        if (!proc.killed) {
          const signals = ["SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT", "SIGHUP"];
          signals.forEach((signal) => {
            process2.on(signal, () => {
              if (proc.killed === false && proc.exitCode === null) {
                proc.kill(signal);
              }
            });
          });
        }
        const exitCallback = this._exitCallback;
        proc.on("close", (code) => {
          code = code ?? 1;
          if (!exitCallback) {
            process2.exit(code);
          } else {
            exitCallback(
              new CommanderError2(
                code,
                "commander.executeSubCommandAsync",
                "(close)"
              )
            );
          }
        });
        proc.on("error", (err) => {
          if (err.code === "ENOENT") {
            this._checkForMissingExecutable(
              executableFile,
              executableDir,
              subcommand._name
            );
          } else if (err.code === "EACCES") {
            throw new Error(`'${executableFile}' not executable`);
          }
          if (!exitCallback) {
            process2.exit(1);
          } else {
            const wrappedError = new CommanderError2(
              1,
              "commander.executeSubCommandAsync",
              "(error)"
            );
            wrappedError.nestedError = err;
            exitCallback(wrappedError);
          }
        });
        this.runningCommand = proc;
      }
      /**
       * @private
       */
      _dispatchSubcommand(commandName, operands, unknown) {
        const subCommand = this._findCommand(commandName);
        if (!subCommand) this.help({ error: true });
        subCommand._prepareForParse();
        let promiseChain;
        promiseChain = this._chainOrCallSubCommandHook(
          promiseChain,
          subCommand,
          "preSubcommand"
        );
        promiseChain = this._chainOrCall(promiseChain, () => {
          if (subCommand._executableHandler) {
            this._executeSubCommand(subCommand, operands.concat(unknown));
          } else {
            return subCommand._parseCommand(operands, unknown);
          }
        });
        return promiseChain;
      }
      /**
       * Invoke help directly if possible, or dispatch if necessary.
       * e.g. help foo
       *
       * @private
       */
      _dispatchHelpCommand(subcommandName) {
        if (!subcommandName) {
          this.help();
        }
        const subCommand = this._findCommand(subcommandName);
        if (subCommand && !subCommand._executableHandler) {
          subCommand.help();
        }
        return this._dispatchSubcommand(
          subcommandName,
          [],
          [this._getHelpOption()?.long ?? this._getHelpOption()?.short ?? "--help"]
        );
      }
      /**
       * Check this.args against expected this.registeredArguments.
       *
       * @private
       */
      _checkNumberOfArguments() {
        this.registeredArguments.forEach((arg, i) => {
          if (arg.required && this.args[i] == null) {
            this.missingArgument(arg.name());
          }
        });
        if (this.registeredArguments.length > 0 && this.registeredArguments[this.registeredArguments.length - 1].variadic) {
          return;
        }
        if (this.args.length > this.registeredArguments.length) {
          this._excessArguments(this.args);
        }
      }
      /**
       * Process this.args using this.registeredArguments and save as this.processedArgs!
       *
       * @private
       */
      _processArguments() {
        const myParseArg = (argument, value, previous) => {
          let parsedValue = value;
          if (value !== null && argument.parseArg) {
            const invalidValueMessage = `error: command-argument value '${value}' is invalid for argument '${argument.name()}'.`;
            parsedValue = this._callParseArg(
              argument,
              value,
              previous,
              invalidValueMessage
            );
          }
          return parsedValue;
        };
        this._checkNumberOfArguments();
        const processedArgs = [];
        this.registeredArguments.forEach((declaredArg, index) => {
          let value = declaredArg.defaultValue;
          if (declaredArg.variadic) {
            if (index < this.args.length) {
              value = this.args.slice(index);
              if (declaredArg.parseArg) {
                value = value.reduce((processed, v) => {
                  return myParseArg(declaredArg, v, processed);
                }, declaredArg.defaultValue);
              }
            } else if (value === void 0) {
              value = [];
            }
          } else if (index < this.args.length) {
            value = this.args[index];
            if (declaredArg.parseArg) {
              value = myParseArg(declaredArg, value, declaredArg.defaultValue);
            }
          }
          processedArgs[index] = value;
        });
        this.processedArgs = processedArgs;
      }
      /**
       * Once we have a promise we chain, but call synchronously until then.
       *
       * @param {(Promise|undefined)} promise
       * @param {Function} fn
       * @return {(Promise|undefined)}
       * @private
       */
      _chainOrCall(promise, fn) {
        if (promise?.then && typeof promise.then === "function") {
          return promise.then(() => fn());
        }
        return fn();
      }
      /**
       *
       * @param {(Promise|undefined)} promise
       * @param {string} event
       * @return {(Promise|undefined)}
       * @private
       */
      _chainOrCallHooks(promise, event) {
        let result = promise;
        const hooks = [];
        this._getCommandAndAncestors().reverse().filter((cmd) => cmd._lifeCycleHooks[event] !== void 0).forEach((hookedCommand) => {
          hookedCommand._lifeCycleHooks[event].forEach((callback) => {
            hooks.push({ hookedCommand, callback });
          });
        });
        if (event === "postAction") {
          hooks.reverse();
        }
        hooks.forEach((hookDetail) => {
          result = this._chainOrCall(result, () => {
            return hookDetail.callback(hookDetail.hookedCommand, this);
          });
        });
        return result;
      }
      /**
       *
       * @param {(Promise|undefined)} promise
       * @param {Command} subCommand
       * @param {string} event
       * @return {(Promise|undefined)}
       * @private
       */
      _chainOrCallSubCommandHook(promise, subCommand, event) {
        let result = promise;
        if (this._lifeCycleHooks[event] !== void 0) {
          this._lifeCycleHooks[event].forEach((hook) => {
            result = this._chainOrCall(result, () => {
              return hook(this, subCommand);
            });
          });
        }
        return result;
      }
      /**
       * Process arguments in context of this command.
       * Returns action result, in case it is a promise.
       *
       * @private
       */
      _parseCommand(operands, unknown) {
        const parsed2 = this.parseOptions(unknown);
        this._parseOptionsEnv();
        this._parseOptionsImplied();
        operands = operands.concat(parsed2.operands);
        unknown = parsed2.unknown;
        this.args = operands.concat(unknown);
        if (operands && this._findCommand(operands[0])) {
          return this._dispatchSubcommand(operands[0], operands.slice(1), unknown);
        }
        if (this._getHelpCommand() && operands[0] === this._getHelpCommand().name()) {
          return this._dispatchHelpCommand(operands[1]);
        }
        if (this._defaultCommandName) {
          this._outputHelpIfRequested(unknown);
          return this._dispatchSubcommand(
            this._defaultCommandName,
            operands,
            unknown
          );
        }
        if (this.commands.length && this.args.length === 0 && !this._actionHandler && !this._defaultCommandName) {
          this.help({ error: true });
        }
        this._outputHelpIfRequested(parsed2.unknown);
        this._checkForMissingMandatoryOptions();
        this._checkForConflictingOptions();
        const checkForUnknownOptions = () => {
          if (parsed2.unknown.length > 0) {
            this.unknownOption(parsed2.unknown[0]);
          }
        };
        const commandEvent = `command:${this.name()}`;
        if (this._actionHandler) {
          checkForUnknownOptions();
          this._processArguments();
          let promiseChain;
          promiseChain = this._chainOrCallHooks(promiseChain, "preAction");
          promiseChain = this._chainOrCall(
            promiseChain,
            () => this._actionHandler(this.processedArgs)
          );
          if (this.parent) {
            promiseChain = this._chainOrCall(promiseChain, () => {
              this.parent.emit(commandEvent, operands, unknown);
            });
          }
          promiseChain = this._chainOrCallHooks(promiseChain, "postAction");
          return promiseChain;
        }
        if (this.parent?.listenerCount(commandEvent)) {
          checkForUnknownOptions();
          this._processArguments();
          this.parent.emit(commandEvent, operands, unknown);
        } else if (operands.length) {
          if (this._findCommand("*")) {
            return this._dispatchSubcommand("*", operands, unknown);
          }
          if (this.listenerCount("command:*")) {
            this.emit("command:*", operands, unknown);
          } else if (this.commands.length) {
            this.unknownCommand();
          } else {
            checkForUnknownOptions();
            this._processArguments();
          }
        } else if (this.commands.length) {
          checkForUnknownOptions();
          this.help({ error: true });
        } else {
          checkForUnknownOptions();
          this._processArguments();
        }
      }
      /**
       * Find matching command.
       *
       * @private
       * @return {Command | undefined}
       */
      _findCommand(name) {
        if (!name) return void 0;
        return this.commands.find(
          (cmd) => cmd._name === name || cmd._aliases.includes(name)
        );
      }
      /**
       * Return an option matching `arg` if any.
       *
       * @param {string} arg
       * @return {Option}
       * @package
       */
      _findOption(arg) {
        return this.options.find((option) => option.is(arg));
      }
      /**
       * Display an error message if a mandatory option does not have a value.
       * Called after checking for help flags in leaf subcommand.
       *
       * @private
       */
      _checkForMissingMandatoryOptions() {
        this._getCommandAndAncestors().forEach((cmd) => {
          cmd.options.forEach((anOption) => {
            if (anOption.mandatory && cmd.getOptionValue(anOption.attributeName()) === void 0) {
              cmd.missingMandatoryOptionValue(anOption);
            }
          });
        });
      }
      /**
       * Display an error message if conflicting options are used together in this.
       *
       * @private
       */
      _checkForConflictingLocalOptions() {
        const definedNonDefaultOptions = this.options.filter((option) => {
          const optionKey = option.attributeName();
          if (this.getOptionValue(optionKey) === void 0) {
            return false;
          }
          return this.getOptionValueSource(optionKey) !== "default";
        });
        const optionsWithConflicting = definedNonDefaultOptions.filter(
          (option) => option.conflictsWith.length > 0
        );
        optionsWithConflicting.forEach((option) => {
          const conflictingAndDefined = definedNonDefaultOptions.find(
            (defined) => option.conflictsWith.includes(defined.attributeName())
          );
          if (conflictingAndDefined) {
            this._conflictingOption(option, conflictingAndDefined);
          }
        });
      }
      /**
       * Display an error message if conflicting options are used together.
       * Called after checking for help flags in leaf subcommand.
       *
       * @private
       */
      _checkForConflictingOptions() {
        this._getCommandAndAncestors().forEach((cmd) => {
          cmd._checkForConflictingLocalOptions();
        });
      }
      /**
       * Parse options from `argv` removing known options,
       * and return argv split into operands and unknown arguments.
       *
       * Side effects: modifies command by storing options. Does not reset state if called again.
       *
       * Examples:
       *
       *     argv => operands, unknown
       *     --known kkk op => [op], []
       *     op --known kkk => [op], []
       *     sub --unknown uuu op => [sub], [--unknown uuu op]
       *     sub -- --unknown uuu op => [sub --unknown uuu op], []
       *
       * @param {string[]} args
       * @return {{operands: string[], unknown: string[]}}
       */
      parseOptions(args) {
        const operands = [];
        const unknown = [];
        let dest = operands;
        function maybeOption(arg) {
          return arg.length > 1 && arg[0] === "-";
        }
        const negativeNumberArg = (arg) => {
          if (!/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(arg)) return false;
          return !this._getCommandAndAncestors().some(
            (cmd) => cmd.options.map((opt) => opt.short).some((short) => /^-\d$/.test(short))
          );
        };
        let activeVariadicOption = null;
        let activeGroup = null;
        let i = 0;
        while (i < args.length || activeGroup) {
          const arg = activeGroup ?? args[i++];
          activeGroup = null;
          if (arg === "--") {
            if (dest === unknown) dest.push(arg);
            dest.push(...args.slice(i));
            break;
          }
          if (activeVariadicOption && (!maybeOption(arg) || negativeNumberArg(arg))) {
            this.emit(`option:${activeVariadicOption.name()}`, arg);
            continue;
          }
          activeVariadicOption = null;
          if (maybeOption(arg)) {
            const option = this._findOption(arg);
            if (option) {
              if (option.required) {
                const value = args[i++];
                if (value === void 0) this.optionMissingArgument(option);
                this.emit(`option:${option.name()}`, value);
              } else if (option.optional) {
                let value = null;
                if (i < args.length && (!maybeOption(args[i]) || negativeNumberArg(args[i]))) {
                  value = args[i++];
                }
                this.emit(`option:${option.name()}`, value);
              } else {
                this.emit(`option:${option.name()}`);
              }
              activeVariadicOption = option.variadic ? option : null;
              continue;
            }
          }
          if (arg.length > 2 && arg[0] === "-" && arg[1] !== "-") {
            const option = this._findOption(`-${arg[1]}`);
            if (option) {
              if (option.required || option.optional && this._combineFlagAndOptionalValue) {
                this.emit(`option:${option.name()}`, arg.slice(2));
              } else {
                this.emit(`option:${option.name()}`);
                activeGroup = `-${arg.slice(2)}`;
              }
              continue;
            }
          }
          if (/^--[^=]+=/.test(arg)) {
            const index = arg.indexOf("=");
            const option = this._findOption(arg.slice(0, index));
            if (option && (option.required || option.optional)) {
              this.emit(`option:${option.name()}`, arg.slice(index + 1));
              continue;
            }
          }
          if (dest === operands && maybeOption(arg) && !(this.commands.length === 0 && negativeNumberArg(arg))) {
            dest = unknown;
          }
          if ((this._enablePositionalOptions || this._passThroughOptions) && operands.length === 0 && unknown.length === 0) {
            if (this._findCommand(arg)) {
              operands.push(arg);
              unknown.push(...args.slice(i));
              break;
            } else if (this._getHelpCommand() && arg === this._getHelpCommand().name()) {
              operands.push(arg, ...args.slice(i));
              break;
            } else if (this._defaultCommandName) {
              unknown.push(arg, ...args.slice(i));
              break;
            }
          }
          if (this._passThroughOptions) {
            dest.push(arg, ...args.slice(i));
            break;
          }
          dest.push(arg);
        }
        return { operands, unknown };
      }
      /**
       * Return an object containing local option values as key-value pairs.
       *
       * @return {object}
       */
      opts() {
        if (this._storeOptionsAsProperties) {
          const result = {};
          const len = this.options.length;
          for (let i = 0; i < len; i++) {
            const key = this.options[i].attributeName();
            result[key] = key === this._versionOptionName ? this._version : this[key];
          }
          return result;
        }
        return this._optionValues;
      }
      /**
       * Return an object containing merged local and global option values as key-value pairs.
       *
       * @return {object}
       */
      optsWithGlobals() {
        return this._getCommandAndAncestors().reduce(
          (combinedOptions, cmd) => Object.assign(combinedOptions, cmd.opts()),
          {}
        );
      }
      /**
       * Display error message and exit (or call exitOverride).
       *
       * @param {string} message
       * @param {object} [errorOptions]
       * @param {string} [errorOptions.code] - an id string representing the error
       * @param {number} [errorOptions.exitCode] - used with process.exit
       */
      error(message, errorOptions) {
        this._outputConfiguration.outputError(
          `${message}
`,
          this._outputConfiguration.writeErr
        );
        if (typeof this._showHelpAfterError === "string") {
          this._outputConfiguration.writeErr(`${this._showHelpAfterError}
`);
        } else if (this._showHelpAfterError) {
          this._outputConfiguration.writeErr("\n");
          this.outputHelp({ error: true });
        }
        const config2 = errorOptions || {};
        const exitCode = config2.exitCode || 1;
        const code = config2.code || "commander.error";
        this._exit(exitCode, code, message);
      }
      /**
       * Apply any option related environment variables, if option does
       * not have a value from cli or client code.
       *
       * @private
       */
      _parseOptionsEnv() {
        this.options.forEach((option) => {
          if (option.envVar && option.envVar in process2.env) {
            const optionKey = option.attributeName();
            if (this.getOptionValue(optionKey) === void 0 || ["default", "config", "env"].includes(
              this.getOptionValueSource(optionKey)
            )) {
              if (option.required || option.optional) {
                this.emit(`optionEnv:${option.name()}`, process2.env[option.envVar]);
              } else {
                this.emit(`optionEnv:${option.name()}`);
              }
            }
          }
        });
      }
      /**
       * Apply any implied option values, if option is undefined or default value.
       *
       * @private
       */
      _parseOptionsImplied() {
        const dualHelper = new DualOptions(this.options);
        const hasCustomOptionValue = (optionKey) => {
          return this.getOptionValue(optionKey) !== void 0 && !["default", "implied"].includes(this.getOptionValueSource(optionKey));
        };
        this.options.filter(
          (option) => option.implied !== void 0 && hasCustomOptionValue(option.attributeName()) && dualHelper.valueFromOption(
            this.getOptionValue(option.attributeName()),
            option
          )
        ).forEach((option) => {
          Object.keys(option.implied).filter((impliedKey) => !hasCustomOptionValue(impliedKey)).forEach((impliedKey) => {
            this.setOptionValueWithSource(
              impliedKey,
              option.implied[impliedKey],
              "implied"
            );
          });
        });
      }
      /**
       * Argument `name` is missing.
       *
       * @param {string} name
       * @private
       */
      missingArgument(name) {
        const message = `error: missing required argument '${name}'`;
        this.error(message, { code: "commander.missingArgument" });
      }
      /**
       * `Option` is missing an argument.
       *
       * @param {Option} option
       * @private
       */
      optionMissingArgument(option) {
        const message = `error: option '${option.flags}' argument missing`;
        this.error(message, { code: "commander.optionMissingArgument" });
      }
      /**
       * `Option` does not have a value, and is a mandatory option.
       *
       * @param {Option} option
       * @private
       */
      missingMandatoryOptionValue(option) {
        const message = `error: required option '${option.flags}' not specified`;
        this.error(message, { code: "commander.missingMandatoryOptionValue" });
      }
      /**
       * `Option` conflicts with another option.
       *
       * @param {Option} option
       * @param {Option} conflictingOption
       * @private
       */
      _conflictingOption(option, conflictingOption) {
        const findBestOptionFromValue = (option2) => {
          const optionKey = option2.attributeName();
          const optionValue = this.getOptionValue(optionKey);
          const negativeOption = this.options.find(
            (target) => target.negate && optionKey === target.attributeName()
          );
          const positiveOption = this.options.find(
            (target) => !target.negate && optionKey === target.attributeName()
          );
          if (negativeOption && (negativeOption.presetArg === void 0 && optionValue === false || negativeOption.presetArg !== void 0 && optionValue === negativeOption.presetArg)) {
            return negativeOption;
          }
          return positiveOption || option2;
        };
        const getErrorMessage = (option2) => {
          const bestOption = findBestOptionFromValue(option2);
          const optionKey = bestOption.attributeName();
          const source = this.getOptionValueSource(optionKey);
          if (source === "env") {
            return `environment variable '${bestOption.envVar}'`;
          }
          return `option '${bestOption.flags}'`;
        };
        const message = `error: ${getErrorMessage(option)} cannot be used with ${getErrorMessage(conflictingOption)}`;
        this.error(message, { code: "commander.conflictingOption" });
      }
      /**
       * Unknown option `flag`.
       *
       * @param {string} flag
       * @private
       */
      unknownOption(flag2) {
        if (this._allowUnknownOption) return;
        let suggestion = "";
        if (flag2.startsWith("--") && this._showSuggestionAfterError) {
          let candidateFlags = [];
          let command = this;
          do {
            const moreFlags = command.createHelp().visibleOptions(command).filter((option) => option.long).map((option) => option.long);
            candidateFlags = candidateFlags.concat(moreFlags);
            command = command.parent;
          } while (command && !command._enablePositionalOptions);
          suggestion = suggestSimilar(flag2, candidateFlags);
        }
        const message = `error: unknown option '${flag2}'${suggestion}`;
        this.error(message, { code: "commander.unknownOption" });
      }
      /**
       * Excess arguments, more than expected.
       *
       * @param {string[]} receivedArgs
       * @private
       */
      _excessArguments(receivedArgs) {
        if (this._allowExcessArguments) return;
        const expected2 = this.registeredArguments.length;
        const s = expected2 === 1 ? "" : "s";
        const forSubcommand = this.parent ? ` for '${this.name()}'` : "";
        const message = `error: too many arguments${forSubcommand}. Expected ${expected2} argument${s} but got ${receivedArgs.length}.`;
        this.error(message, { code: "commander.excessArguments" });
      }
      /**
       * Unknown command.
       *
       * @private
       */
      unknownCommand() {
        const unknownName = this.args[0];
        let suggestion = "";
        if (this._showSuggestionAfterError) {
          const candidateNames = [];
          this.createHelp().visibleCommands(this).forEach((command) => {
            candidateNames.push(command.name());
            if (command.alias()) candidateNames.push(command.alias());
          });
          suggestion = suggestSimilar(unknownName, candidateNames);
        }
        const message = `error: unknown command '${unknownName}'${suggestion}`;
        this.error(message, { code: "commander.unknownCommand" });
      }
      /**
       * Get or set the program version.
       *
       * This method auto-registers the "-V, --version" option which will print the version number.
       *
       * You can optionally supply the flags and description to override the defaults.
       *
       * @param {string} [str]
       * @param {string} [flags]
       * @param {string} [description]
       * @return {(this | string | undefined)} `this` command for chaining, or version string if no arguments
       */
      version(str, flags, description) {
        if (str === void 0) return this._version;
        this._version = str;
        flags = flags || "-V, --version";
        description = description || "output the version number";
        const versionOption = this.createOption(flags, description);
        this._versionOptionName = versionOption.attributeName();
        this._registerOption(versionOption);
        this.on("option:" + versionOption.name(), () => {
          this._outputConfiguration.writeOut(`${str}
`);
          this._exit(0, "commander.version", str);
        });
        return this;
      }
      /**
       * Set the description.
       *
       * @param {string} [str]
       * @param {object} [argsDescription]
       * @return {(string|Command)}
       */
      description(str, argsDescription) {
        if (str === void 0 && argsDescription === void 0)
          return this._description;
        this._description = str;
        if (argsDescription) {
          this._argsDescription = argsDescription;
        }
        return this;
      }
      /**
       * Set the summary. Used when listed as subcommand of parent.
       *
       * @param {string} [str]
       * @return {(string|Command)}
       */
      summary(str) {
        if (str === void 0) return this._summary;
        this._summary = str;
        return this;
      }
      /**
       * Set an alias for the command.
       *
       * You may call more than once to add multiple aliases. Only the first alias is shown in the auto-generated help.
       *
       * @param {string} [alias]
       * @return {(string|Command)}
       */
      alias(alias) {
        if (alias === void 0) return this._aliases[0];
        let command = this;
        if (this.commands.length !== 0 && this.commands[this.commands.length - 1]._executableHandler) {
          command = this.commands[this.commands.length - 1];
        }
        if (alias === command._name)
          throw new Error("Command alias can't be the same as its name");
        const matchingCommand = this.parent?._findCommand(alias);
        if (matchingCommand) {
          const existingCmd = [matchingCommand.name()].concat(matchingCommand.aliases()).join("|");
          throw new Error(
            `cannot add alias '${alias}' to command '${this.name()}' as already have command '${existingCmd}'`
          );
        }
        command._aliases.push(alias);
        return this;
      }
      /**
       * Set aliases for the command.
       *
       * Only the first alias is shown in the auto-generated help.
       *
       * @param {string[]} [aliases]
       * @return {(string[]|Command)}
       */
      aliases(aliases) {
        if (aliases === void 0) return this._aliases;
        aliases.forEach((alias) => this.alias(alias));
        return this;
      }
      /**
       * Set / get the command usage `str`.
       *
       * @param {string} [str]
       * @return {(string|Command)}
       */
      usage(str) {
        if (str === void 0) {
          if (this._usage) return this._usage;
          const args = this.registeredArguments.map((arg) => {
            return humanReadableArgName(arg);
          });
          return [].concat(
            this.options.length || this._helpOption !== null ? "[options]" : [],
            this.commands.length ? "[command]" : [],
            this.registeredArguments.length ? args : []
          ).join(" ");
        }
        this._usage = str;
        return this;
      }
      /**
       * Get or set the name of the command.
       *
       * @param {string} [str]
       * @return {(string|Command)}
       */
      name(str) {
        if (str === void 0) return this._name;
        this._name = str;
        return this;
      }
      /**
       * Set/get the help group heading for this subcommand in parent command's help.
       *
       * @param {string} [heading]
       * @return {Command | string}
       */
      helpGroup(heading) {
        if (heading === void 0) return this._helpGroupHeading ?? "";
        this._helpGroupHeading = heading;
        return this;
      }
      /**
       * Set/get the default help group heading for subcommands added to this command.
       * (This does not override a group set directly on the subcommand using .helpGroup().)
       *
       * @example
       * program.commandsGroup('Development Commands:);
       * program.command('watch')...
       * program.command('lint')...
       * ...
       *
       * @param {string} [heading]
       * @returns {Command | string}
       */
      commandsGroup(heading) {
        if (heading === void 0) return this._defaultCommandGroup ?? "";
        this._defaultCommandGroup = heading;
        return this;
      }
      /**
       * Set/get the default help group heading for options added to this command.
       * (This does not override a group set directly on the option using .helpGroup().)
       *
       * @example
       * program
       *   .optionsGroup('Development Options:')
       *   .option('-d, --debug', 'output extra debugging')
       *   .option('-p, --profile', 'output profiling information')
       *
       * @param {string} [heading]
       * @returns {Command | string}
       */
      optionsGroup(heading) {
        if (heading === void 0) return this._defaultOptionGroup ?? "";
        this._defaultOptionGroup = heading;
        return this;
      }
      /**
       * @param {Option} option
       * @private
       */
      _initOptionGroup(option) {
        if (this._defaultOptionGroup && !option.helpGroupHeading)
          option.helpGroup(this._defaultOptionGroup);
      }
      /**
       * @param {Command} cmd
       * @private
       */
      _initCommandGroup(cmd) {
        if (this._defaultCommandGroup && !cmd.helpGroup())
          cmd.helpGroup(this._defaultCommandGroup);
      }
      /**
       * Set the name of the command from script filename, such as process.argv[1],
       * or require.main.filename, or __filename.
       *
       * (Used internally and public although not documented in README.)
       *
       * @example
       * program.nameFromFilename(require.main.filename);
       *
       * @param {string} filename
       * @return {Command}
       */
      nameFromFilename(filename) {
        this._name = path.basename(filename, path.extname(filename));
        return this;
      }
      /**
       * Get or set the directory for searching for executable subcommands of this command.
       *
       * @example
       * program.executableDir(__dirname);
       * // or
       * program.executableDir('subcommands');
       *
       * @param {string} [path]
       * @return {(string|null|Command)}
       */
      executableDir(path2) {
        if (path2 === void 0) return this._executableDir;
        this._executableDir = path2;
        return this;
      }
      /**
       * Return program help documentation.
       *
       * @param {{ error: boolean }} [contextOptions] - pass {error:true} to wrap for stderr instead of stdout
       * @return {string}
       */
      helpInformation(contextOptions) {
        const helper = this.createHelp();
        const context = this._getOutputContext(contextOptions);
        helper.prepareContext({
          error: context.error,
          helpWidth: context.helpWidth,
          outputHasColors: context.hasColors
        });
        const text2 = helper.formatHelp(this, helper);
        if (context.hasColors) return text2;
        return this._outputConfiguration.stripColor(text2);
      }
      /**
       * @typedef HelpContext
       * @type {object}
       * @property {boolean} error
       * @property {number} helpWidth
       * @property {boolean} hasColors
       * @property {function} write - includes stripColor if needed
       *
       * @returns {HelpContext}
       * @private
       */
      _getOutputContext(contextOptions) {
        contextOptions = contextOptions || {};
        const error = !!contextOptions.error;
        let baseWrite;
        let hasColors;
        let helpWidth;
        if (error) {
          baseWrite = (str) => this._outputConfiguration.writeErr(str);
          hasColors = this._outputConfiguration.getErrHasColors();
          helpWidth = this._outputConfiguration.getErrHelpWidth();
        } else {
          baseWrite = (str) => this._outputConfiguration.writeOut(str);
          hasColors = this._outputConfiguration.getOutHasColors();
          helpWidth = this._outputConfiguration.getOutHelpWidth();
        }
        const write = (str) => {
          if (!hasColors) str = this._outputConfiguration.stripColor(str);
          return baseWrite(str);
        };
        return { error, write, hasColors, helpWidth };
      }
      /**
       * Output help information for this command.
       *
       * Outputs built-in help, and custom text added using `.addHelpText()`.
       *
       * @param {{ error: boolean } | Function} [contextOptions] - pass {error:true} to write to stderr instead of stdout
       */
      outputHelp(contextOptions) {
        let deprecatedCallback;
        if (typeof contextOptions === "function") {
          deprecatedCallback = contextOptions;
          contextOptions = void 0;
        }
        const outputContext = this._getOutputContext(contextOptions);
        const eventContext = {
          error: outputContext.error,
          write: outputContext.write,
          command: this
        };
        this._getCommandAndAncestors().reverse().forEach((command) => command.emit("beforeAllHelp", eventContext));
        this.emit("beforeHelp", eventContext);
        let helpInformation = this.helpInformation({ error: outputContext.error });
        if (deprecatedCallback) {
          helpInformation = deprecatedCallback(helpInformation);
          if (typeof helpInformation !== "string" && !Buffer.isBuffer(helpInformation)) {
            throw new Error("outputHelp callback must return a string or a Buffer");
          }
        }
        outputContext.write(helpInformation);
        if (this._getHelpOption()?.long) {
          this.emit(this._getHelpOption().long);
        }
        this.emit("afterHelp", eventContext);
        this._getCommandAndAncestors().forEach(
          (command) => command.emit("afterAllHelp", eventContext)
        );
      }
      /**
       * You can pass in flags and a description to customise the built-in help option.
       * Pass in false to disable the built-in help option.
       *
       * @example
       * program.helpOption('-?, --help' 'show help'); // customise
       * program.helpOption(false); // disable
       *
       * @param {(string | boolean)} flags
       * @param {string} [description]
       * @return {Command} `this` command for chaining
       */
      helpOption(flags, description) {
        if (typeof flags === "boolean") {
          if (flags) {
            if (this._helpOption === null) this._helpOption = void 0;
            if (this._defaultOptionGroup) {
              this._initOptionGroup(this._getHelpOption());
            }
          } else {
            this._helpOption = null;
          }
          return this;
        }
        this._helpOption = this.createOption(
          flags ?? "-h, --help",
          description ?? "display help for command"
        );
        if (flags || description) this._initOptionGroup(this._helpOption);
        return this;
      }
      /**
       * Lazy create help option.
       * Returns null if has been disabled with .helpOption(false).
       *
       * @returns {(Option | null)} the help option
       * @package
       */
      _getHelpOption() {
        if (this._helpOption === void 0) {
          this.helpOption(void 0, void 0);
        }
        return this._helpOption;
      }
      /**
       * Supply your own option to use for the built-in help option.
       * This is an alternative to using helpOption() to customise the flags and description etc.
       *
       * @param {Option} option
       * @return {Command} `this` command for chaining
       */
      addHelpOption(option) {
        this._helpOption = option;
        this._initOptionGroup(option);
        return this;
      }
      /**
       * Output help information and exit.
       *
       * Outputs built-in help, and custom text added using `.addHelpText()`.
       *
       * @param {{ error: boolean }} [contextOptions] - pass {error:true} to write to stderr instead of stdout
       */
      help(contextOptions) {
        this.outputHelp(contextOptions);
        let exitCode = Number(process2.exitCode ?? 0);
        if (exitCode === 0 && contextOptions && typeof contextOptions !== "function" && contextOptions.error) {
          exitCode = 1;
        }
        this._exit(exitCode, "commander.help", "(outputHelp)");
      }
      /**
       * // Do a little typing to coordinate emit and listener for the help text events.
       * @typedef HelpTextEventContext
       * @type {object}
       * @property {boolean} error
       * @property {Command} command
       * @property {function} write
       */
      /**
       * Add additional text to be displayed with the built-in help.
       *
       * Position is 'before' or 'after' to affect just this command,
       * and 'beforeAll' or 'afterAll' to affect this command and all its subcommands.
       *
       * @param {string} position - before or after built-in help
       * @param {(string | Function)} text - string to add, or a function returning a string
       * @return {Command} `this` command for chaining
       */
      addHelpText(position, text2) {
        const allowedValues = ["beforeAll", "before", "after", "afterAll"];
        if (!allowedValues.includes(position)) {
          throw new Error(`Unexpected value for position to addHelpText.
Expecting one of '${allowedValues.join("', '")}'`);
        }
        const helpEvent = `${position}Help`;
        this.on(helpEvent, (context) => {
          let helpStr;
          if (typeof text2 === "function") {
            helpStr = text2({ error: context.error, command: context.command });
          } else {
            helpStr = text2;
          }
          if (helpStr) {
            context.write(`${helpStr}
`);
          }
        });
        return this;
      }
      /**
       * Output help information if help flags specified
       *
       * @param {Array} args - array of options to search for help flags
       * @private
       */
      _outputHelpIfRequested(args) {
        const helpOption = this._getHelpOption();
        const helpRequested = helpOption && args.find((arg) => helpOption.is(arg));
        if (helpRequested) {
          this.outputHelp();
          this._exit(0, "commander.helpDisplayed", "(outputHelp)");
        }
      }
    };
    function incrementNodeInspectorPort(args) {
      return args.map((arg) => {
        if (!arg.startsWith("--inspect")) {
          return arg;
        }
        let debugOption;
        let debugHost = "127.0.0.1";
        let debugPort = "9229";
        let match;
        if ((match = arg.match(/^(--inspect(-brk)?)$/)) !== null) {
          debugOption = match[1];
        } else if ((match = arg.match(/^(--inspect(-brk|-port)?)=([^:]+)$/)) !== null) {
          debugOption = match[1];
          if (/^\d+$/.test(match[3])) {
            debugPort = match[3];
          } else {
            debugHost = match[3];
          }
        } else if ((match = arg.match(/^(--inspect(-brk|-port)?)=([^:]+):(\d+)$/)) !== null) {
          debugOption = match[1];
          debugHost = match[3];
          debugPort = match[4];
        }
        if (debugOption && debugPort !== "0") {
          return `${debugOption}=${debugHost}:${parseInt(debugPort) + 1}`;
        }
        return arg;
      });
    }
    function useColor() {
      if (process2.env.NO_COLOR || process2.env.FORCE_COLOR === "0" || process2.env.FORCE_COLOR === "false")
        return false;
      if (process2.env.FORCE_COLOR || process2.env.CLICOLOR_FORCE !== void 0)
        return true;
      return void 0;
    }
    exports2.Command = Command2;
    exports2.useColor = useColor;
  }
});

// node_modules/commander/index.js
var require_commander = __commonJS({
  "node_modules/commander/index.js"(exports2) {
    var { Argument: Argument2 } = require_argument();
    var { Command: Command2 } = require_command();
    var { CommanderError: CommanderError2, InvalidArgumentError: InvalidArgumentError2 } = require_error();
    var { Help: Help2 } = require_help();
    var { Option: Option2 } = require_option();
    exports2.program = new Command2();
    exports2.createCommand = (name) => new Command2(name);
    exports2.createOption = (flags, description) => new Option2(flags, description);
    exports2.createArgument = (name, description) => new Argument2(name, description);
    exports2.Command = Command2;
    exports2.Option = Option2;
    exports2.Argument = Argument2;
    exports2.Help = Help2;
    exports2.CommanderError = CommanderError2;
    exports2.InvalidArgumentError = InvalidArgumentError2;
    exports2.InvalidOptionArgumentError = InvalidArgumentError2;
  }
});

// src/agents/profile.ts
function needsStdin({ prompt: prompt2, wantsStdin = false }) {
  return wantsStdin || prompt2.startsWith("-") || Buffer.byteLength(prompt2) > LONGEST_ARGUMENT;
}
function inFolder(folder, names) {
  return names.map((name) => `${folder}/${name}`);
}
var LONGEST_ARGUMENT, REHEARSAL;
var init_profile = __esm({
  "src/agents/profile.ts"() {
    "use strict";
    LONGEST_ARGUMENT = 1e5;
    REHEARSAL = { key: "dummy-key-0000000000000000000", provider: "rehearsal", model: "scripted" };
  }
});

// src/agents/plain/profile.ts
function plainParser() {
  return { hasStructure: false, parse: (line) => [{ type: "text", text: line }] };
}
var plain;
var init_profile2 = __esm({
  "src/agents/plain/profile.ts"() {
    "use strict";
    init_profile();
    plain = {
      name: "plain",
      title: "any other command",
      install: null,
      tellsCost: "nothing",
      tested: "as plain text",
      commandLine: ({ command, flags, prompt: prompt2, wantsStdin = false }) => {
        const promptOnStdin2 = wantsStdin || Buffer.byteLength(prompt2) > LONGEST_ARGUMENT;
        return { argv: [command, ...flags, ...promptOnStdin2 ? [] : [prompt2]], promptOnStdin: promptOnStdin2 };
      },
      parser: plainParser
    };
  }
});

// src/agents/flags.ts
function unlessGiven(wanted, given) {
  return wanted.filter(({ words: [option], or = [] }) => ![option, ...or].some((name) => holds(given, name))).flatMap(({ words }) => words.filter((word) => word !== void 0));
}
function holds(given, option) {
  return given.some((flag2) => flag2 === option || flag2.startsWith(`${option}=`));
}
function givenValue(given, ...options) {
  for (let i = given.length - 1; i >= 0; i--) {
    const flag2 = given[i] ?? "";
    const joined = options.find((option) => flag2.startsWith(`${option}=`));
    if (joined !== void 0) return flag2.slice(joined.length + 1);
    if (i > 0 && options.includes(given[i - 1] ?? "")) return flag2;
  }
  return void 0;
}
function promptOnStdin(wanted, ...words) {
  return ({ command, flags }) => ({
    argv: [command, ...words, ...unlessGiven(wanted, flags), ...flags],
    promptOnStdin: true
  });
}
function inFormat(options, format, structured, otherwise = plainParser) {
  return ({ flags }) => (givenValue(flags, ...options) ?? format) === format ? structured() : otherwise();
}
var init_flags = __esm({
  "src/agents/flags.ts"() {
    "use strict";
    init_profile2();
  }
});

// src/agents/reading/api-fault.ts
function faultOfRefusal({ status, message, resetAt = null }) {
  const reason = shortened(message);
  if (status === 429 && message.includes("not your usage limit")) return { kind: "infrastructure", reason };
  if (status === 429) return { kind: "limit", reason: reason || "the usage limit is reached", resetAt };
  if (status === 401 || status === 403) return { kind: "auth", reason: reason || `HTTP ${status}` };
  if (status !== void 0 && status >= 500) return { kind: "infrastructure", reason: reason || `HTTP ${status}` };
  return null;
}
function shortened(text2) {
  const line = text2.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line;
}
var LONGEST_REASON;
var init_api_fault = __esm({
  "src/agents/reading/api-fault.ts"() {
    "use strict";
    LONGEST_REASON = 300;
  }
});

// src/agents/reading/input-summary.ts
function inputSummary(tool, input) {
  if (input === null || typeof input !== "object") return "";
  const values = input;
  for (const [field, chars] of FIELDS.get(tool) ?? []) {
    const value = values[field];
    if (typeof value === "string" && value !== "")
      return value.length > chars ? `${value.slice(0, chars - 3)}...` : value;
  }
  return "";
}
function named(fields, ...tools) {
  return tools.map((tool) => [tool, fields]);
}
var FILE, COMMAND, PATTERN, TASK, PAGE, QUERY, FIELDS;
var init_input_summary = __esm({
  "src/agents/reading/input-summary.ts"() {
    "use strict";
    FILE = ["file_path", "path", "filePath", "absolute_path"].map((field) => [field, 80]);
    COMMAND = ["command", "cmd", "description"].map((field) => [field, 60]);
    PATTERN = ["pattern", "filePattern"].map((field) => [field, 40]);
    TASK = [["description", 40]];
    PAGE = [["url", 50]];
    QUERY = ["query", "objective", "pattern"].map((field) => [field, 50]);
    FIELDS = new Map([
      ...named(FILE, "Read", "read", "read_file", "view", "look_at", "ls", "list_directory"),
      ...named(FILE, "Write", "write", "write_file", "create", "create_file"),
      ...named(FILE, "Edit", "edit", "edit_file", "replace", "undo_edit"),
      ...named(COMMAND, "Bash", "bash", "run_shell_command", "run_command", "powershell"),
      ...named(PATTERN, "Glob", "glob", "Grep", "grep", "grep_search", "search_file_content", "find"),
      ...named(TASK, "Task", "task", "agent"),
      ...named(PAGE, "WebFetch", "webfetch", "web_fetch", "read_web_page"),
      ...named(QUERY, "WebSearch", "websearch", "web_search", "google_web_search", "search")
    ]);
  }
});

// src/agents/reading/json-line.ts
function parseObject(raw) {
  if (!raw.startsWith("{")) return null;
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}
function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
function objectFrom(value) {
  return isObject(value) ? value : {};
}
function objectsFrom(value) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
function textFrom(value, otherwise = "") {
  return typeof value === "string" ? value : otherwise;
}
function numberFrom(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : void 0;
}
function figures(values) {
  const known = Object.entries(values).filter(([, value]) => numberFrom(value) !== void 0);
  return Object.fromEntries(known);
}
var init_json_line = __esm({
  "src/agents/reading/json-line.ts"() {
    "use strict";
  }
});

// src/agents/reading/usage-sum.ts
function withCache(usage) {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return inputTokens === void 0 ? usage : { ...usage, inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens };
}
function usageSum() {
  const sum = {};
  return {
    add(more) {
      for (const name of NAMES) {
        const figure = more[name];
        if (figure !== void 0) sum[name] = (sum[name] ?? 0) + figure;
      }
    },
    sum: () => ({ ...sum })
  };
}
var NAMES;
var init_usage_sum = __esm({
  "src/agents/reading/usage-sum.ts"() {
    "use strict";
    NAMES = ["costUsd", "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
  }
});

// src/agents/reading/reset-time.ts
function resetTimeIn(text2, now2) {
  return instantIn(text2) ?? dateIn(text2, now2) ?? clockIn(text2, now2) ?? spanIn(text2, now2);
}
function instantIn(text2) {
  const seconds = /\|(\d{10})\b/.exec(text2)?.[1];
  if (seconds !== void 0) return Number(seconds) * 1e3;
  const iso = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/.exec(text2)?.[0];
  return iso === void 0 ? null : valid(Date.parse(iso));
}
function dateIn(text2, now2) {
  const [, month, day, year, hour, minute, half, zone] = DATE_PATTERN.exec(text2) ?? [];
  if (month === void 0) return null;
  const at = (inYear) => localInstant(
    [inYear, MONTHS.indexOf(month.slice(0, 3).toLowerCase()), Number(day), ...clock(hour, minute, half)],
    zone
  );
  if (year !== void 0) return at(Number(year));
  const thisYear = at(new Date(now2).getFullYear());
  return thisYear !== null && thisYear < now2 - DAY ? at(new Date(now2).getFullYear() + 1) : thisYear;
}
function clockIn(text2, now2) {
  const [, hour, minute, half, zone] = CLOCK_PATTERN.exec(text2) ?? [];
  if (hour === void 0) return null;
  const today = localInstant([...dayOf(now2, zone), ...clock(hour, minute, half)], zone);
  return today !== null && today < now2 - 6e4 ? today + DAY : today;
}
function spanIn(text2, now2) {
  const span = SPAN_PATTERN.exec(text2)?.[1];
  if (span === void 0) return null;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi)];
  const length = parts.reduce(
    (sum, [, count2, unit]) => sum + Number(count2) * (UNITS[unit?.toLowerCase() ?? ""] ?? 0),
    0
  );
  return valid(now2 + Math.round(length));
}
function clock(hour, minute, half) {
  const isAfternoon = half?.toLowerCase() === "pm";
  return [Number(hour) % 12 + (isAfternoon ? 12 : 0), Number(minute ?? 0)];
}
function dayOf(now2, zone) {
  const there = new Date(now2 + offsetAt(now2, zone));
  return [there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate()];
}
function localInstant(time2, zone) {
  const asUtc = Date.UTC(...time2);
  if (Number.isNaN(asUtc)) return null;
  const guess = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(guess, zone);
}
function offsetAt(at, zone) {
  const own2 = -new Date(at).getTimezoneOffset() * 6e4;
  if (zone === void 0) return own2;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 6e4;
  } catch {
    return own2;
  }
}
function valid(at) {
  return Number.isFinite(at) ? at : null;
}
var MONTHS, CLOCK, ZONE, DATE_PATTERN, CLOCK_PATTERN, SPAN_PATTERN, UNITS, DAY;
var init_reset_time = __esm({
  "src/agents/reading/reset-time.ts"() {
    "use strict";
    MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    CLOCK = String.raw`(1[0-2]|0?\d)(?::([0-5]\d))?\s*([ap]m)`;
    ZONE = String.raw`(?:\s*\(([A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)*)\))?`;
    DATE_PATTERN = new RegExp(
      String.raw`\b(${MONTHS.join("|")})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? ${CLOCK}${ZONE}`,
      "i"
    );
    CLOCK_PATTERN = new RegExp(String.raw`\b(?:at|resets?|until) ${CLOCK}${ZONE}`, "i");
    SPAN_PATTERN = /\b(?:in|after)((?: ?\d+(?:\.\d+)? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b,?(?: and)?)+)/i;
    UNITS = { d: 864e5, h: 36e5, m: 6e4, s: 1e3 };
    DAY = 864e5;
  }
});

// src/agents/claude/text.ts
function claudeTextParser(now2 = Date.now) {
  const { parse: parse3, ...plain2 } = plainParser();
  return {
    ...plain2,
    parse: (line) => [...parse3(line), ...faultEvents(line.slice(0, 500), now2())]
  };
}
function faultEvents(line, now2) {
  const fault = claudeFault(line, now2);
  return fault === null ? [] : [{ type: "fault", fault }];
}
function isNotLoggedIn(text2) {
  return /^(?:Not logged in|Invalid API key|Failed to authenticate)\b/.test(text2);
}
function claudeFault(line, now2) {
  if (/^You['’]ve hit your\b.*\blimit\b/.test(line)) {
    return { kind: "limit", reason: shortened(line), resetAt: resetTimeIn(line, now2) };
  }
  if (isNotLoggedIn(line)) {
    return { kind: "auth", reason: shortened(line) };
  }
  const status = /^API Error: (?:Request rejected \()?(\d{3})\b/.exec(line)?.[1];
  return status === void 0 ? null : faultOfRefusal({ status: Number(status), message: line });
}
var init_text = __esm({
  "src/agents/claude/text.ts"() {
    "use strict";
    init_profile2();
    init_api_fault();
    init_reset_time();
  }
});

// src/agents/claude/stream.ts
function claudeParser() {
  return streamJsonParser({ usageInMessages: false, countsCacheApart: true });
}
function streamJsonParser({ usageInMessages, countsCacheApart }) {
  const usage = usageSum();
  const usageOf5 = (told3) => countsCacheApart ? withCache(figuresOf(told3)) : figuresOf(told3);
  let said = [];
  const todoCalls = /* @__PURE__ */ new Set();
  const isNews = (event) => event.type !== "tool-end" || !todoCalls.delete(event.id);
  let resetAt = null;
  const parseLine2 = (raw) => {
    if (raw.trim() === "") return [];
    const line = parseObject(raw);
    switch (line?.type) {
      case "assistant":
        if (line.is_api_error_message === true) return [];
        if (usageInMessages) usage.add(usageOf5(objectFrom(line.message).usage));
        return objectsFrom(objectFrom(line.message).content).flatMap((block) => assistantBlock(block, todoCalls)).map((event) => isOfSubagent(line) ? ofSubagent(event) : event).map((event) => {
          if (event.type === "text") said = [...said.slice(1 - TEXTS_KEPT), event.text];
          return event;
        });
      case "user":
        return objectsFrom(objectFrom(line.message).content).flatMap(userBlock);
      case "result":
        return resultEvents(line, resetAt, { said, usage: { ...usage.sum(), ...usageOf5(line.usage) } });
      case "rate_limit_event":
        resetAt = refusedUntil(objectFrom(line.rate_limit_info)) ?? resetAt;
        return [];
      case "system":
        return systemEvents(line);
      case "stream_event":
        return [{ type: "progress", text: "stream_event" }];
      default:
        return [{ type: "unknown", raw }];
    }
  };
  return { hasStructure: true, parse: (line) => parseLine2(line).filter(isNews) };
}
function systemEvents(line) {
  switch (line.subtype) {
    case "api_retry":
      return [{ type: "notice", text: retryText(line) }, ...retryFault(line)];
    case "task_notification":
      if (line.status === "completed") return [{ type: "progress", text: "task_notification" }];
      return [
        { type: "notice", text: `Background work ${textFrom(line.status)}: ${shortened(textFrom(line.summary))}` }
      ];
    default:
      return [{ type: "progress", text: progressText(textFrom(line.subtype, "system"), line) }];
  }
}
function progressText(subtype, line) {
  const session = textFrom(line.session_id);
  return (subtype === "init" || subtype === "system") && session !== "" ? `${subtype}: session ${session}` : subtype;
}
function isOfSubagent(line) {
  return typeof line.parent_tool_use_id === "string";
}
function ofSubagent(event) {
  return event.type === "text" ? { type: "progress", text: `subagent: ${shortened(event.text)}` } : event;
}
function retryText(line) {
  const most = numberFrom(line.max_retries);
  const count2 = `${numberFrom(line.attempt) ?? "?"}${most === void 0 ? "" : `/${most}`}`;
  const why = [numberFrom(line.error_status), textFrom(line.error)].filter(Boolean).join(" ");
  const delay = numberFrom(line.retry_delay_ms);
  return `API retry ${count2}: ${why}${delay === void 0 ? "" : `, in ${(delay / 1e3).toFixed(1)} s`}`;
}
function retryFault(line) {
  const message = `${textFrom(line.error).replaceAll("_", " ")} (HTTP ${numberFrom(line.error_status)})`;
  const fault = faultOfRefusal({ status: numberFrom(line.error_status), message });
  if (fault === null) return [];
  return [{ type: "fault", fault, isHopeless: fault.kind === "auth" && (numberFrom(line.attempt) ?? 0) > 1 }];
}
function refusedUntil(info) {
  const seconds = numberFrom(info.resetsAt);
  return info.status === "rejected" && seconds !== void 0 ? seconds * 1e3 : null;
}
function assistantBlock(block, todoCalls) {
  if (block.type === "text" && typeof block.text === "string") return [{ type: "text", text: block.text }];
  if (block.type !== "tool_use") return [];
  const name = textFrom(block.name, "tool");
  const todos = TODO_TOOLS.has(name) ? todosOf(block.input) : null;
  if (todos !== null) {
    todoCalls.add(textFrom(block.id));
    return [{ type: "todo", items: todos }];
  }
  return [{ type: "tool-start", id: textFrom(block.id), name, input: inputSummary(name, block.input) }];
}
function userBlock(block) {
  if (block.type !== "tool_result") return [];
  return [
    {
      type: "tool-end",
      id: textFrom(block.tool_use_id),
      output: textOf(block.content),
      isError: block.is_error === true
    }
  ];
}
function textOf(content) {
  if (typeof content === "string") return content;
  return objectsFrom(content).map((block) => textFrom(block.text)).join("\n");
}
function todosOf(input) {
  const { todos } = objectFrom(input);
  if (!Array.isArray(todos)) return null;
  return objectsFrom(todos).map((todo2) => ({
    text: textFrom(todo2.content ?? todo2.subject),
    status: todo2.status === "completed" ? "completed" : todo2.status === "in_progress" ? "active" : "pending"
  }));
}
function resultEvents(line, resetAt, before) {
  const fault = faultOf(line, resetAt);
  const account2 = accountOf(line, before.usage);
  return [
    ...account2.isError ? [] : unheardWords(account2.text, before.said),
    ...denialsOf(line),
    ...fault === null ? [] : [{ type: "fault", fault }],
    account2
  ];
}
function unheardWords(text2, said) {
  const words = text2.trim();
  const wasHeard = words === "" || [said.join(""), said.join("\n"), said.join("\n\n")].some((all) => all.includes(words));
  return wasHeard ? [] : [{ type: "text", text: text2 }];
}
function faultOf(line, resetAt) {
  if (line.is_error !== true) return null;
  const words = textFrom(line.result);
  if (line.terminal_reason === "api_error" && isNotLoggedIn(words)) return { kind: "auth", reason: shortened(words) };
  return faultOfRefusal({ status: numberFrom(line.api_error_status), message: words, resetAt });
}
function denialsOf(line) {
  const denials = Array.isArray(line.permission_denials) ? line.permission_denials : [];
  const tools = denials.map((denial) => textFrom(objectFrom(denial).tool_name, textFrom(denial, "tool")));
  if (tools.length === 0) return [];
  const text2 = `Permission refused for ${tools.length} tool call${tools.length === 1 ? "" : "s"} (${[...new Set(tools)].join(", ")}): allow them in agent.flags, or what the guard of stories blocked in ralph/allowed-commands.txt`;
  return [{ type: "notice", text: text2 }];
}
function accountOf(line, usage) {
  const reason = failureOf(line);
  return {
    type: "result",
    isError: line.is_error === true || reason !== null,
    text: textFrom(line.result),
    ...reason === null ? {} : { reason },
    ...figures({ costUsd: line.total_cost_usd, durationMs: line.duration_ms }),
    ...usage
  };
}
function figuresOf(usage) {
  const told3 = objectFrom(usage);
  return figures({
    inputTokens: told3.input_tokens,
    outputTokens: told3.output_tokens,
    cacheReadTokens: told3.cache_read_input_tokens,
    cacheWriteTokens: told3.cache_creation_input_tokens
  });
}
function failureOf(line) {
  if (line.terminal_reason === "hook_stopped") return "a hook stopped it";
  const subtype = textFrom(line.subtype);
  if (subtype === "error_max_turns") return "it reached its own limit of turns";
  if (subtype.startsWith("error")) return shortened(errorOf(line)) || subtype.replaceAll("_", " ");
  const words = shortened(textFrom(line.result));
  return line.is_error === true && words !== "" ? `it reported an error: ${words}` : null;
}
function errorOf({ error }) {
  return textFrom(error, textFrom(objectFrom(error).message));
}
var TEXTS_KEPT, TODO_TOOLS;
var init_stream = __esm({
  "src/agents/claude/stream.ts"() {
    "use strict";
    init_api_fault();
    init_input_summary();
    init_json_line();
    init_usage_sum();
    init_text();
    TEXTS_KEPT = 20;
    TODO_TOOLS = /* @__PURE__ */ new Set(["TodoWrite", "todo_write"]);
  }
});

// src/agents/reading/error-text.ts
function faultOfErrorText(text2, now2) {
  const message = messageIn(text2);
  const resetAt = resetTimeIn(message.replaceAll("~", ""), now2);
  const [, leading, inJson, named3] = STATUS.exec(text2) ?? [];
  const status = leading ?? inJson ?? named3;
  if (status !== void 0) return faultOfRefusal({ status: Number(status), message, resetAt });
  if (LIMIT.test(message)) return { kind: "limit", reason: shortened(message), resetAt };
  return NO_ANSWER.test(message) ? { kind: "infrastructure", reason: shortened(message) } : null;
}
function faultOfErrorLine(line, now2) {
  return /\berror\b/i.test(line) ? faultOfErrorText(line, now2) : null;
}
function messageIn(text2) {
  const start = text2.indexOf("{");
  const body = start < 0 ? null : parseObject(text2.slice(start).trimEnd());
  if (body === null) return text2;
  return textFrom(body.message, textFrom(objectFrom(body.error).message, text2));
}
var STATUS, LIMIT, NO_ANSWER;
var init_error_text = __esm({
  "src/agents/reading/error-text.ts"() {
    "use strict";
    init_api_fault();
    init_json_line();
    init_reset_time();
    STATUS = /^(\d{3})\b|"(?:code|status)": ?(\d{3})\b|\b(?:HTTP|status(?: code)?):? (\d{3})\b/i;
    LIMIT = /\brate.?limit|\busage limit|\bquota\b|\btoo many requests\b|\bRESOURCE_EXHAUSTED\b/i;
    NO_ANSWER = /\boverloaded\b|\bconnection error\b|\bfetch failed\b|\bterminated\b|\bother side closed\b|\bsocket hang up\b|\bECONN[A-Z]+\b|\bENOTFOUND\b|\bnetwork error\b|\btimed out\b/i;
  }
});

// src/agents/amp/stream.ts
function ampParser(now2 = Date.now) {
  const { parse: parse3 } = streamJsonParser({ usageInMessages: true, countsCacheApart: false });
  return {
    hasStructure: true,
    parse: untilLogin((line) => parse3(line).flatMap((event) => withFault(event, now2()))),
    parseStderr: (line) => stderrEvents(line, now2())
  };
}
function ampTextParser(now2 = Date.now) {
  const { parse: parse3 } = plainParser();
  return { hasStructure: false, parse: untilLogin(parse3), parseStderr: (line) => stderrEvents(line, now2()) };
}
function untilLogin(parse3) {
  let said = "nothing";
  return (raw) => {
    const isLogin = said === "nothing" && raw.startsWith("No API key found. Starting login flow");
    if (isLogin) said = "login";
    else if (said === "nothing" && raw.trim() !== "") said = "words";
    if (said !== "login") return parse3(raw);
    return [{ type: "unknown", raw }, ...isLogin ? [NO_LOGIN] : []];
  };
}
function withFault(event, now2) {
  const fault = event.type === "result" && event.isError ? faultIn(event.reason ?? "", now2) : null;
  return fault === null ? [event] : [{ type: "fault", fault }, event];
}
function stderrEvents(line, now2) {
  const shown2 = { type: "stderr", text: line };
  const fault = line.startsWith("Error: ") ? faultIn(line.slice("Error: ".length), now2) : null;
  return fault === null ? [shown2] : [shown2, { type: "fault", fault }];
}
function faultIn(words, now2) {
  const reason = shortened(words);
  if (/\bAPI key\b|\baccess token\b|\bamp login\b/i.test(words)) return { kind: "auth", reason };
  if (/\bout of credits\b/i.test(words)) return { kind: "limit", reason, resetAt: null };
  if (/\bAmp server returned an error\b/.test(words)) return { kind: "infrastructure", reason };
  const status = /\bfailed: (\d{3})$/.exec(words)?.[1];
  return faultOfErrorText(status === void 0 ? words : `${status} ${words}`, now2);
}
var NO_LOGIN;
var init_stream2 = __esm({
  "src/agents/amp/stream.ts"() {
    "use strict";
    init_stream();
    init_profile2();
    init_api_fault();
    init_error_text();
    NO_LOGIN = {
      type: "fault",
      fault: { kind: "auth", reason: "it is not logged in: run `amp login`, or set AMP_API_KEY" },
      isHopeless: true
    };
  }
});

// src/agents/amp/profile.ts
var STREAM_FLAGS, STREAM, AUTONOMY, EXECUTE, amp;
var init_profile3 = __esm({
  "src/agents/amp/profile.ts"() {
    "use strict";
    init_flags();
    init_profile();
    init_stream2();
    STREAM_FLAGS = ["--stream-json", "--stream-json-thinking"];
    STREAM = { words: [STREAM_FLAGS[0]], or: [STREAM_FLAGS[1]] };
    AUTONOMY = { words: ["--dangerously-allow-all"] };
    EXECUTE = { words: ["-x"], or: ["--execute"] };
    amp = {
      name: "amp",
      title: "Amp",
      install: "npm install -g @ampcode/cli",
      readsStdin: { flags: ["-x", "--execute"] },
      sandbox: {
        hosts: ["ampcode.com", "*.ampcode.com"],
        state: { usual: [".local/share/amp", ".cache/amp"], obeyed: [] }
      },
      projectConfig: inFolder(".amp", ["plugins", "settings.json", "settings.jsonc", "tools"]),
      // No rehearsal: the loop of its agent runs at its vendor's.
      accountVariables: ["AMP_"],
      tellsCost: "tokens",
      tested: "by its documented stream",
      commandLine: (call) => {
        const { command, flags, prompt: prompt2, mode } = call;
        const promptOnStdin2 = needsStdin(call);
        const wanted = unlessGiven(mode === "stream" ? [STREAM, AUTONOMY] : [AUTONOMY], flags);
        const execute = [...unlessGiven([EXECUTE], flags), ...promptOnStdin2 ? [] : [prompt2]];
        return { argv: [command, ...wanted, ...flags, ...execute], promptOnStdin: promptOnStdin2 };
      },
      parser: ({ mode, flags }) => mode === "stream" || STREAM_FLAGS.some((flag2) => holds(flags, flag2)) ? ampParser() : ampTextParser()
    };
  }
});

// src/agents/claude/profile.ts
var STREAM2, TEXT, SKIP_PERMISSIONS, PLUGINS, claude;
var init_profile4 = __esm({
  "src/agents/claude/profile.ts"() {
    "use strict";
    init_flags();
    init_profile();
    init_stream();
    init_text();
    STREAM2 = [{ words: ["--output-format", "stream-json"] }, { words: ["--verbose"] }];
    TEXT = [{ words: ["--output-format", "text"] }];
    SKIP_PERMISSIONS = "--dangerously-skip-permissions";
    PLUGINS = ["cache", "marketplaces", "repos", "config.json", "installed_plugins.json", "known_marketplaces.json"];
    claude = {
      name: "claude",
      title: "Claude Code",
      install: "npm install -g @anthropic-ai/claude-code",
      keys: ["ANTHROPIC_API_KEY"],
      autonomy: [SKIP_PERMISSIONS],
      refusesRootUnless: "IS_SANDBOX",
      loadsPlugin: true,
      taskFlags: [
        { words: ["--input-format", "text"] },
        { words: ["--tools", "default"] },
        { words: ["--permission-mode", "bypassPermissions"], or: [SKIP_PERMISSIONS] }
      ],
      readsStdin: { flags: ["-p", "--print"] },
      sandbox: {
        hosts: ["*.anthropic.com", "claude.ai", "platform.claude.com:443"],
        state: {
          variable: "CLAUDE_CONFIG_DIR",
          usual: [".claude"],
          obeyed: [
            "CLAUDE.md",
            "agents",
            "commands",
            "hooks",
            "settings.json",
            "settings.local.json",
            "skills",
            ...PLUGINS.map((name) => `plugins/${name}`)
          ],
          watched: ["local", "output-styles", "rules"],
          watchedElsewhere: [".claude.json"],
          filled: [".claude.json", "plugins"],
          // The first is replaced as a whole, for which the home folder would have to be writable; the last is for links in a browser.
          quiet: [".claude.json", ".claude/state", ".local/share/applications"]
        },
        docker: {
          name: "claude",
          hosts: ["*.anthropic.com", "platform.claude.com:443", "github.com", "*.githubusercontent.com", "api.github.com"],
          flagInside: SKIP_PERMISSIONS,
          login: { folder: ".claude", file: ".claude.json" }
        }
      },
      baseUrls: ["ANTHROPIC_BASE_URL"],
      projectConfig: [
        ...inFolder(".claude", ["agents", "commands", "hooks", "settings.json", "settings.local.json", "skills"]),
        ".mcp.json"
      ],
      // The last leads to an editor.
      accountVariables: ["ANTHROPIC_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_SSE_PORT"],
      rehearsal: {
        variables: ({ url, folder }) => ({
          ANTHROPIC_BASE_URL: url,
          // As with a subscription, not with a key: only then it tells when a limit is lifted, and gives a refused key up soon.
          CLAUDE_CODE_OAUTH_TOKEN: REHEARSAL.key,
          CLAUDE_CONFIG_DIR: folder,
          // Without these it asks for its vendor's host even though the base URL is set.
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
          DISABLE_TELEMETRY: "1",
          DISABLE_AUTOUPDATER: "1",
          DISABLE_ERROR_REPORTING: "1"
        }),
        // `-p` needs none of these; a session at the terminal would first ask questions that end it.
        files: ({ cwd }) => ({
          ".claude.json": JSON.stringify({
            hasCompletedOnboarding: true,
            theme: "dark",
            // Where it may not note down that it has asked, it asks at every start.
            fullscreenUpsellSeenCount: 100,
            projects: { [cwd]: { hasTrustDialogAccepted: true } }
          }),
          "settings.json": JSON.stringify({ skipDangerousModePermissionPrompt: true })
        })
      },
      tellsCost: "dollars",
      tested: "with 2.1.325",
      terminal: {
        screen: {
          input: { at: "between-rules", mark: /^[❯>!](?:\s|$)/, placeholder: /^Try "/ },
          // After a paste the footer says "paste again to expand" instead of how to interrupt, so the spinner counts too.
          busy: { line: /^[·✢✳✶✻✽∗*] \S+…(?: \(|$)/, footer: /\besc to interrupt\b/ }
        },
        readyLines: [/bypass\s+permissions/, /permissions?\s+mode/, /shift\+tab\s+to\s+cycle/, /Claude\s+Code\s+v\d+/],
        dialogs: [
          { kind: "login", sign: /Select login method/ },
          { kind: "theme", sign: /Choose the text style|looks best with your terminal/ },
          {
            kind: "login",
            sign: /Paste code here/,
            message: "Worker stuck at OAuth code entry. Use ANTHROPIC_API_KEY instead."
          },
          {
            kind: "trust",
            sign: /Is this a project you created or one you trust\?|Do you trust the files in this folder\?/
          },
          { kind: "key", sign: /Do you want to use this API key\?/ },
          { kind: "bypass", sign: /running in Bypass Permissions mode/ },
          { kind: "unreachable", sign: /Unable to connect to Anthropic services/ },
          { kind: "permission", sign: /Do you want to (?:proceed|make this edit|create)\b.*\?/ },
          { kind: "choice", sign: /Enter to confirm · Esc to (?:cancel|exit)/ }
        ],
        subcommands: ["mcp", "config", "doctor", "update", "install", "plugin", "setup-token", "auth", "agents"],
        faultIn: claudeFault
      },
      commandLine: (call) => {
        const { command, flags, prompt: prompt2, mode } = call;
        const promptOnStdin2 = needsStdin(call);
        const print = unlessGiven([{ words: ["-p"], or: ["--print"] }], flags);
        const wanted = unlessGiven(mode === "text" ? TEXT : STREAM2, flags);
        return { argv: [command, ...print, ...wanted, ...flags, ...promptOnStdin2 ? [] : [prompt2]], promptOnStdin: promptOnStdin2 };
      },
      // The user's own flags may ask for another format than ours.
      parser: ({ mode, flags }) => mode !== "text" && (givenValue(flags, "--output-format") ?? "stream-json") === "stream-json" ? claudeParser() : claudeTextParser()
    };
  }
});

// src/agents/codex/fault.ts
function codexFault(message, now2) {
  if (/\bhit your usage limit\b|\bquota exceeded\b/i.test(message)) {
    return { kind: "limit", reason: shortened(message), resetAt: resetTimeIn(message, now2) };
  }
  if (/\bexperiencing high demand\b|\bat capacity\b/i.test(message)) {
    return { kind: "infrastructure", reason: shortened(message) };
  }
  const status = /\b(?:unexpected status|last status:?) (\d{3})\b/.exec(message)?.[1];
  if (status === void 0) return null;
  return faultOfRefusal({ status: Number(status), message, resetAt: resetTimeIn(message, now2) });
}
var init_fault = __esm({
  "src/agents/codex/fault.ts"() {
    "use strict";
    init_api_fault();
    init_reset_time();
  }
});

// src/agents/codex/stream.ts
function codexParser(now2 = Date.now) {
  let lastWords2 = "";
  const started = /* @__PURE__ */ new Set();
  const itemEvents = (item, isStarted) => {
    switch (item.type) {
      case "agent_message":
        if (isStarted) return [];
        lastWords2 = textFrom(item.text);
        return [{ type: "text", text: lastWords2 }];
      case "todo_list":
        return [{ type: "todo", items: objectsFrom(item.items).map(todo) }];
      case "reasoning":
        return isStarted ? [] : [{ type: "progress", text: textFrom(item.text) }];
      case "error":
        return [{ type: "notice", text: shortened(textFrom(item.message)) }];
      default:
        return toolEvents(item, isStarted, started);
    }
  };
  return {
    hasStructure: true,
    parseStderr: (line) => /^Reading .* from stdin/.test(line) ? [] : [{ type: "stderr", text: line }],
    parse(raw) {
      if (raw.trim() === "") return [];
      const line = parseObject(raw);
      switch (line?.type) {
        case "item.started":
          return itemEvents(objectFrom(line.item), true);
        case "item.completed":
          return itemEvents(objectFrom(line.item), false);
        case "item.updated":
          return [];
        case "turn.completed":
          return [{ type: "result", isError: false, text: lastWords2, ...usageOf(objectFrom(line.usage)) }];
        case "turn.failed":
          return failure(textFrom(objectFrom(line.error).message), now2);
        case "error":
          return retryNotice(textFrom(line.message));
        case "thread.started":
          return [{ type: "progress", text: `${line.type}: session ${textFrom(line.thread_id, "unknown")}` }];
        case "turn.started":
          return [{ type: "progress", text: line.type }];
        default:
          return [{ type: "unknown", raw }];
      }
    }
  };
}
function retryNotice(message) {
  return message.startsWith("Reconnecting") ? [{ type: "notice", text: shortened(message) }] : [];
}
function failure(message, now2) {
  const fault = codexFault(message, now2());
  const account2 = { type: "result", isError: true, text: message, reason: shortened(message) };
  return fault === null ? [account2] : [{ type: "fault", fault }, account2];
}
function toolEvents(item, isStarted, started) {
  const id = textFrom(item.id);
  const tool = toolOf(item);
  if (tool === null) return [];
  const start = { type: "tool-start", id, ...tool };
  if (isStarted) {
    started.add(id);
    return [start];
  }
  const isError = item.status === "failed" || (numberFrom(item.exit_code) ?? 0) !== 0;
  const end3 = { type: "tool-end", id, output: outputOf(item), isError };
  return started.delete(id) ? [end3] : [start, end3];
}
function toolOf(item) {
  switch (item.type) {
    case "command_execution":
      return { name: "Bash", input: textFrom(item.command) };
    case "file_change":
      return {
        name: "Edit",
        input: objectsFrom(item.changes).map((change) => textFrom(change.path)).join(", ")
      };
    case "mcp_tool_call":
      return { name: [textFrom(item.server), textFrom(item.tool, "tool")].filter(Boolean).join("."), input: "" };
    case "web_search":
      return { name: "WebSearch", input: textFrom(item.query) };
    default:
      return null;
  }
}
function outputOf(item) {
  return textFrom(item.aggregated_output, textFrom(objectFrom(item.error).message));
}
function todo(item) {
  return { text: textFrom(item.text), status: item.completed === true ? "completed" : "pending" };
}
function usageOf(usage) {
  return figures({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cached_input_tokens,
    cacheWriteTokens: usage.cache_write_input_tokens
  });
}
var init_stream3 = __esm({
  "src/agents/codex/stream.ts"() {
    "use strict";
    init_api_fault();
    init_json_line();
    init_fault();
  }
});

// src/agents/codex/profile.ts
function autonomy(help, isEnclosed) {
  const isOld = help?.includes("--full-auto") === true;
  const own2 = isOld ? ["--full-auto"] : ["-s", "workspace-write"];
  const words = isEnclosed ? ["--dangerously-bypass-approvals-and-sandbox"] : own2;
  const trust = isOld ? [] : [{ words: ["--skip-git-repo-check"] }];
  return [{ words, or: PERMISSIONS }, ...trust];
}
function rehearsalFiles({ url, cwd }) {
  const { provider } = REHEARSAL;
  const project = JSON.stringify(cwd);
  return {
    "config.toml": `# The newest that calls its tools directly; later ones write programs that call them.
model = "gpt-5.5"
model_provider = "${provider}"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
# Asks for outside hosts, and waits for them at its end.
plugins = false
# Copies itself into its folder and leaves servers behind.
daemon_auto_start = false

# At a terminal it would ask whether to take a newer one.
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[model_providers.${provider}]
name = "${provider}"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[projects.${project}]
trust_level = "trusted"
`
  };
}
var PERMISSIONS, JSON_LINES, ANSWER_FLAGS, codex;
var init_profile5 = __esm({
  "src/agents/codex/profile.ts"() {
    "use strict";
    init_flags();
    init_profile2();
    init_profile();
    init_fault();
    init_stream3();
    PERMISSIONS = ["--full-auto", "-s", "--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--yolo"];
    JSON_LINES = { words: ["--json"], or: ["--experimental-json"] };
    ANSWER_FLAGS = ["-o", "--output-last-message"];
    codex = {
      name: "codex",
      title: "Codex",
      install: "npm install -g @openai/codex",
      helpArguments: ["exec", "--help"],
      keys: ["OPENAI_API_KEY", "OPENAI_ORG_ID"],
      // Its own sandbox keeps `.git` read-only, and an iteration ends with a commit.
      autonomy: ["--dangerously-bypass-approvals-and-sandbox"],
      taskFlags: [
        {
          words: ["--dangerously-bypass-approvals-and-sandbox"],
          or: ["-s", "--sandbox", "--full-auto", "--yolo", "-a", "--ask-for-approval"]
        }
      ],
      readsStdin: { words: ["exec", "e"] },
      sandbox: {
        hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
        state: {
          variable: "CODEX_HOME",
          usual: [".codex"],
          obeyed: ["AGENTS.md", "config.toml", "hooks.json", "prompts", "rules", "skills"],
          watched: [".env", "AGENTS.override.md", "agents", "plugins"],
          filled: ["skills"]
        }
      },
      projectConfig: inFolder(".codex", ["agents", "config.toml", "hooks.json", "plugins", "prompts", "rules", "skills"]),
      accountVariables: ["CODEX_", "OPENAI_"],
      rehearsal: { variables: ({ folder }) => ({ CODEX_HOME: folder }), files: rehearsalFiles },
      tellsCost: "tokens",
      tested: "with 0.166.0",
      terminal: {
        screen: {
          input: {
            at: "behind-mark",
            mark: /^›(?:\s|$)/,
            placeholder: /^Ask Codex to do anything$/,
            // A choice in a dialog has the same mark; below it stands which key continues.
            unless: /^\s*(?:enter (?:continue|confirm)|press enter to)\b/i
          },
          // The line with the time is not there while text comes in; the spinner in the title is.
          busy: { title: /^\s*[\u2801-\u28ff]\s/, line: /^[•◦] .*\besc to interrupt\)/ }
        },
        dialogs: [
          { kind: "login", sign: /Choose how you want to use Codex|Finish signing in via your browser/ },
          { kind: "trust", sign: /Do you trust the contents of this directory\?/ },
          { kind: "hooks", sign: /Hooks need review/ },
          { kind: "permission", sign: /Would you like to run the following command\?/ },
          { kind: "choice", sign: /Press enter to (?:continue|confirm)|enter continue · esc quit/i }
        ],
        subcommands: ["review", "login", "logout", "mcp", "mcp-server", "app-server", "apply", "completion", "sandbox"],
        faultIn: codexFault
      },
      commandLine: ({ command, flags, mode, help, answerFile, isEnclosed = false }) => {
        const wanted = mode === "stream" ? [JSON_LINES] : [{ words: ["-o", answerFile], or: ANSWER_FLAGS.slice(1) }];
        const own2 = unlessGiven([...wanted, ...autonomy(help, isEnclosed)], flags);
        return { argv: [command, "e", ...own2, ...flags, "-"], promptOnStdin: true };
      },
      parser: ({ mode, flags }) => {
        if (mode === "stream") return codexParser();
        return ANSWER_FLAGS.some((flag2) => holds(flags, flag2)) ? plainParser() : { ...plainParser(), answersInFile: true };
      }
    };
  }
});

// src/agents/copilot/stream.ts
function copilotParser(now2 = Date.now) {
  const usage = usageSum();
  let lastWords2 = "";
  let failure3 = null;
  let isAborted = false;
  let callFault = null;
  const messageEvents = (line, data) => {
    usage.add(figures({ outputTokens: data.outputTokens }));
    const text2 = textFrom(data.content);
    if (text2 === "" || isOfSubAgent(line, data)) return [{ type: "progress", text: "assistant.message" }];
    lastWords2 = text2;
    return [{ type: "text", text: text2 }];
  };
  const callFailure = (data) => {
    callFault = faultOfCall(data, now2());
    const notice = { type: "notice", text: failedCallText(data) };
    return callFault === null ? [notice] : [notice, { type: "fault", fault: callFault }];
  };
  const sessionError = (data) => {
    failure3 = textFrom(data.message, textFrom(data.errorType, "an error"));
    const isUnexplained = numberFrom(data.statusCode) === void 0;
    const fault = faultOfSession(data, now2()) ?? (isUnexplained ? callFault : null);
    return fault === null ? [] : [{ type: "fault", fault }];
  };
  const account2 = (line) => {
    const isError = line.exitCode !== 0 || isAborted;
    const reason = isError && failure3 !== null ? { reason: shortened(failure3) } : {};
    const durations = figures({ durationMs: objectFrom(line.usage).sessionDurationMs });
    return { type: "result", isError, text: lastWords2, ...reason, ...usage.sum(), ...durations };
  };
  const lineEvents = (line, raw) => {
    const data = objectFrom(line.data);
    switch (line.type) {
      case "assistant.message":
        callFault = null;
        return messageEvents(line, data);
      case "tool.execution_start":
        return [toolStart(data)];
      case "tool.execution_complete":
        return [toolEnd(data)];
      case "model.call_failure":
        return callFailure(data);
      case "session.error":
        return sessionError(data);
      case "session.warning":
        return [{ type: "notice", text: shortened(textFrom(data.message)) }];
      case "abort":
        isAborted = true;
        failure3 = `it was aborted (${textFrom(data.reason, "no reason told")})`;
        return [];
      case "result":
        return [{ type: "progress", text: `result: session ${textFrom(line.sessionId, "unknown")}` }, account2(line)];
      default:
        return KNOWN.test(textFrom(line.type)) ? [{ type: "progress", text: textFrom(line.type) }] : [{ type: "unknown", raw }];
    }
  };
  return {
    hasStructure: true,
    parse(raw) {
      if (raw.trim() === "") return [];
      const line = parseObject(raw);
      return line === null ? [{ type: "unknown", raw }] : lineEvents(line, raw);
    },
    parseStderr(line) {
      const shown2 = { type: "stderr", text: line };
      const [, reason] = /^Error: ((?:No authentication information found|Authentication failed).*)/.exec(line) ?? [];
      if (reason === void 0) return [shown2];
      return [shown2, { type: "fault", fault: { kind: "auth", reason: shortened(reason) } }];
    }
  };
}
function isOfSubAgent(line, data) {
  return textFrom(line.agentId) !== "" || textFrom(data.parentToolCallId) !== "";
}
function faultOfCall(data, now2) {
  const message = callMessage(data);
  const status = numberFrom(data.statusCode);
  const isBroken = status === void 0 && data.failureKind === "transport";
  if (isBroken) return { kind: "infrastructure", reason: shortened(message) || "the connection broke" };
  return faultOfRefusal({ status, message, resetAt: resetTimeIn(message, now2) });
}
function faultOfSession(data, now2) {
  const message = textFrom(data.message);
  const resetAt = resetTimeIn(message, now2);
  switch (data.errorType) {
    case "rate_limit":
    case "quota":
      return { kind: "limit", reason: shortened(message), resetAt };
    case "authentication":
    case "authorization":
      return { kind: "auth", reason: shortened(message) };
    default:
      return faultOfRefusal({ status: numberFrom(data.statusCode), message, resetAt });
  }
}
function failedCallText(data) {
  const attempt = (numberFrom(data.retryAttempt) ?? 0) + 1;
  const status = numberFrom(data.statusCode);
  const why = shortened(callMessage(data));
  return `API call ${attempt} failed: ${status === void 0 ? "" : `HTTP ${status} `}${why}`;
}
function callMessage(data) {
  return messageIn(textFrom(data.errorMessage)).replace(/^"(.*)"$/s, "$1");
}
function toolStart(data) {
  const name = textFrom(data.toolName, "tool");
  return { type: "tool-start", id: textFrom(data.toolCallId), name, input: inputSummary(name, data.arguments) };
}
function toolEnd(data) {
  const content = textFrom(objectFrom(data.result).content, textFrom(objectFrom(data.error).message));
  const output = content.replace(/\n?<shellId: \S+ completed with exit code -?\d+>$/, "");
  const exitCode = numberFrom(objectFrom(data.shellExecution).exitCode) ?? 0;
  return { type: "tool-end", id: textFrom(data.toolCallId), output, isError: data.success === false || exitCode !== 0 };
}
var KNOWN;
var init_stream4 = __esm({
  "src/agents/copilot/stream.ts"() {
    "use strict";
    init_api_fault();
    init_error_text();
    init_input_summary();
    init_json_line();
    init_reset_time();
    init_usage_sum();
    KNOWN = /^(?:agent|assistant|hook|mcp|model|permission|session|skill|subagent|system|tool|user)\.\w/;
  }
});

// src/agents/copilot/profile.ts
var WANTED, copilot;
var init_profile6 = __esm({
  "src/agents/copilot/profile.ts"() {
    "use strict";
    init_flags();
    init_profile();
    init_error_text();
    init_stream4();
    WANTED = [
      { words: ["--output-format", "json"] },
      // Without a terminal it refuses every tool that it would ask about. Whoever allows some does not want all.
      { words: ["--allow-all"], or: ["--yolo", "--allow-all-tools", "--allow-tool", "--assisted-approval"] },
      { words: ["--no-ask-user"] }
    ];
    copilot = {
      name: "copilot",
      title: "Copilot CLI",
      install: "npm install -g @github/copilot",
      readsStdin: { flags: ["-p", "--prompt"] },
      sandbox: {
        hosts: ["api.github.com", "github.com", "*.githubcopilot.com"],
        state: { variable: "COPILOT_HOME", usual: [".copilot"], obeyed: ["mcp-config.json"] }
      },
      baseUrls: ["COPILOT_PROVIDER_BASE_URL"],
      projectConfig: [".github/hooks"],
      accountVariables: ["COPILOT_", "GITHUB_COPILOT_"],
      // With a provider of one's own instead of GitHub's.
      rehearsal: {
        variables: ({ url, folder }) => ({
          COPILOT_HOME: folder,
          COPILOT_OFFLINE: "true",
          COPILOT_AUTO_UPDATE: "false",
          COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
          COPILOT_PROVIDER_API_KEY: REHEARSAL.key,
          COPILOT_MODEL: REHEARSAL.model
        }),
        files: ({ cwd }) => ({ "config.json": JSON.stringify({ trustedFolders: [cwd] }) }),
        // Where it keeps its unpacked program, 235 MB that would have to be unpacked again.
        kept: ["COPILOT_CACHE_HOME", "COPILOT_PKG_CACHE_HOME"]
      },
      tellsCost: "nothing",
      tested: "with 1.0.102",
      terminal: {
        screen: {
          input: { at: "between-rules", mark: /^❯(?:\s|$)/ },
          // While it loads its skills it says so in the place of what it works on, also after it was asked something.
          busy: { footer: /^\s*\S (?:Working\b.* esc esc (?:interrupt|edit prompt)\b|Loading:)/ }
        },
        dialogs: [{ kind: "trust", sign: /Confirm folder trust/ }],
        subcommands: ["login", "help", "update", "version"],
        faultIn: faultOfErrorLine
      },
      commandLine: promptOnStdin(WANTED),
      parser: inFormat(["--output-format"], "json", copilotParser)
    };
  }
});

// src/agents/reading/delta-text.ts
function deltaText() {
  let rest = "";
  let words = "";
  let isOver2 = true;
  const take3 = (length) => {
    const whole = rest.slice(0, length);
    rest = rest.slice(length);
    return whole;
  };
  return {
    push(piece) {
      if (isOver2) words = "";
      isOver2 = false;
      if (words.length < LONGEST_LAST_WORDS) words += piece;
      rest += piece;
      const end3 = rest.lastIndexOf("\n");
      if (end3 >= 0) return take3(end3 + 1).slice(0, -1);
      return rest.length > LONGEST_LINE ? take3(rest.length) : null;
    },
    end() {
      isOver2 = true;
      return rest === "" ? null : take3(rest.length);
    },
    lastWords: () => words
  };
}
var LONGEST_LINE, LONGEST_LAST_WORDS;
var init_delta_text = __esm({
  "src/agents/reading/delta-text.ts"() {
    "use strict";
    LONGEST_LINE = 1e6;
    LONGEST_LAST_WORDS = 1e4;
  }
});

// src/agents/gemini/stream.ts
function geminiParser(now2 = Date.now) {
  const words = deltaText();
  const stderr = stderrReader();
  let resetAt = null;
  let limit = null;
  const said = (text2) => text2 === null ? [] : [{ type: "text", text: text2 }];
  const lineEvents = (line, raw) => {
    switch (line.type) {
      case "tool_use":
        return [toolStart2(line)];
      case "tool_result":
        return [toolEnd2(line)];
      case "result":
        return resultEvents2(line);
      case "error":
        return [{ type: "notice", text: shortened(textFrom(line.message)) }];
      case "init":
        return [{ type: "progress", text: `init: session ${textFrom(line.session_id, "unknown")}` }];
      case "message":
        return [{ type: "progress", text: textFrom(line.type) }];
      default:
        return [{ type: "unknown", raw }];
    }
  };
  const resultEvents2 = (line) => {
    const usage = usageOf2(objectFrom(line.stats));
    if (line.status !== "error") return [{ type: "result", isError: false, text: words.lastWords(), ...usage }];
    const message = textFrom(objectFrom(line.error).message);
    const fault = faultOf2(message, resetAt);
    if (fault?.kind === "limit") limit = fault;
    const account2 = { type: "result", isError: true, text: message, reason: shortened(message), ...usage };
    return fault === null ? [account2] : [{ type: "fault", fault }, account2];
  };
  return {
    hasStructure: true,
    parse(raw) {
      if (raw.trim() === "") return [];
      const line = parseObject(raw);
      if (line?.type === "message" && line.role === "assistant") return said(words.push(textFrom(line.content)));
      const rest = said(words.end());
      return [...rest, ...line === null ? [{ type: "unknown", raw }] : lineEvents(line, raw)];
    },
    end: () => said(words.end()),
    parseStderr(line) {
      if (/\bretry in\b/i.test(line)) resetAt = resetTimeIn(line, now2());
      const isNew = limit !== null && limit.resetAt === null && resetAt !== null;
      if (isNew && limit !== null) limit = { ...limit, resetAt };
      return isNew && limit !== null ? [{ type: "fault", fault: limit }, ...stderr(line)] : stderr(line);
    }
  };
}
function stderrReader() {
  let isInDump = false;
  return (line) => {
    isInDump &&= /^[\s}\]]/.test(line);
    if (isInDump || BANNERS.test(line)) return [];
    const [, attempt, status] = /^Attempt (\d+) failed with status (\d+)/.exec(line) ?? [];
    isInDump = attempt !== void 0 || line.startsWith("Error when talking to Gemini API");
    if (attempt !== void 0) return retryEvents(attempt, Number(status));
    return isInDump ? [] : [{ type: "stderr", text: line }];
  };
}
function retryEvents(attempt, status) {
  const fault = faultOfRefusal({ status, message: `HTTP ${status}, again and again` });
  const notice = { type: "notice", text: `API retry ${attempt}: HTTP ${status}` };
  return fault === null ? [notice] : [notice, { type: "fault", fault }];
}
function faultOf2(message, resetAt) {
  if (/\b(?:exhausted|exceeded) your\b.*\bquota\b|\bRESOURCE_EXHAUSTED\b/i.test(message)) {
    return { kind: "limit", reason: shortened(message), resetAt };
  }
  const status = /"code":\s*(\d{3})\b/.exec(message)?.[1];
  return faultOfRefusal({ status: status === void 0 ? void 0 : Number(status), message, resetAt });
}
function toolStart2(line) {
  const name = textFrom(line.tool_name, "tool");
  return { type: "tool-start", id: textFrom(line.tool_id), name, input: inputSummary(name, line.parameters) };
}
function toolEnd2(line) {
  const isError = line.status !== "success";
  const output = textFrom(line.output, textFrom(objectFrom(line.error).message));
  return { type: "tool-end", id: textFrom(line.tool_id), output, isError };
}
function usageOf2(stats) {
  const cached2 = numberFrom(stats.cached);
  return figures({
    inputTokens: stats.input_tokens,
    outputTokens: stats.output_tokens,
    cacheReadTokens: cached2,
    durationMs: stats.duration_ms
  });
}
var BANNERS;
var init_stream5 = __esm({
  "src/agents/gemini/stream.ts"() {
    "use strict";
    init_api_fault();
    init_delta_text();
    init_input_summary();
    init_json_line();
    init_reset_time();
    BANNERS = /^(?:YOLO mode is enabled|Warning: 256-color support|Ripgrep is not available|\[STARTUP\]|Loaded cached credentials)/;
  }
});

// src/agents/gemini/profile.ts
var import_node_path, WANTED2, gemini;
var init_profile7 = __esm({
  "src/agents/gemini/profile.ts"() {
    "use strict";
    import_node_path = require("node:path");
    init_flags();
    init_profile();
    init_error_text();
    init_stream5();
    WANTED2 = [
      { words: ["-o", "stream-json"], or: ["--output-format"] },
      { words: ["--approval-mode", "yolo"], or: ["-y", "--yolo"] }
    ];
    gemini = {
      name: "gemini",
      title: "Gemini CLI",
      install: "npm install -g @google/gemini-cli",
      keys: ["GEMINI_API_KEY"],
      taskFlags: [{ words: ["--screen-reader", "true"] }],
      readsStdin: { flags: ["-p", "--prompt"] },
      sandbox: {
        hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
        state: {
          variable: "GEMINI_CLI_HOME",
          inside: ".gemini",
          usual: [".gemini"],
          obeyed: ["GEMINI.md", "commands", "extensions", "settings.json", "trustedFolders.json"],
          watched: [".env", "agents", "hooks", "policies", "skills"],
          filled: ["settings.json", "trustedFolders.json"]
        }
      },
      baseUrls: ["GOOGLE_GEMINI_BASE_URL"],
      projectConfig: inFolder(".gemini", [
        ".env",
        "agents",
        "commands",
        "extensions",
        "hooks",
        "policies",
        "settings.json",
        "skills"
      ]),
      accountVariables: ["GEMINI_", "GOOGLE_", "CODE_ASSIST_ENDPOINT"],
      rehearsal: {
        variables: ({ url, folder }) => ({
          GEMINI_API_KEY: REHEARSAL.key,
          GOOGLE_GEMINI_BASE_URL: url,
          // In place of the home folder.
          GEMINI_CLI_HOME: folder,
          GEMINI_CLI_NO_RELAUNCH: "1",
          GEMINI_TELEMETRY_ENABLED: "false"
        }),
        // It ends at once in a folder that is not trusted.
        copies: ({ GEMINI_CLI_HOME, HOME = "/" }) => ({
          ".gemini/trustedFolders.json": (0, import_node_path.join)(GEMINI_CLI_HOME || HOME, ".gemini/trustedFolders.json")
        }),
        files: () => ({
          ".gemini/settings.json": JSON.stringify({
            security: { auth: { selectedType: "gemini-api-key" } },
            general: { enableAutoUpdate: false },
            privacy: { usageStatisticsEnabled: false },
            telemetry: { enabled: false }
          })
        }),
        // What it may do: with another permission than the real run's a rehearsal shows nothing.
        kept: ["GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"]
      },
      tellsCost: "tokens",
      tested: "with 0.61.0",
      terminal: {
        screen: {
          input: {
            at: "behind-mark",
            below: /^[─▀▄]{10,}$/,
            mark: /^ ?[*>!](?:\s|$)/,
            placeholder: /^(?:Type your message or @path\/to\/file|Type your shell command)$/
          },
          busy: { title: /^✦/, line: /\(esc to cancel\b/ }
        },
        dialogs: [
          {
            kind: "login",
            sign: /How would you like to authenticate for this project\?|Waiting for auth(?:entication)?\.\.\./
          },
          { kind: "login", sign: /Login with (?:GitHub|Google)/i },
          { kind: "trust", sign: /Trust this folder\?/ },
          { kind: "key", sign: /Enter (?:your )?(?:Gemini )?API key/i },
          { kind: "permission", sign: /Allow execution of/ }
        ],
        subcommands: ["mcp", "extensions", "skills", "hooks"],
        faultIn: faultOfErrorLine
      },
      commandLine: promptOnStdin(WANTED2),
      parser: inFormat(["-o", "--output-format"], "stream-json", geminiParser)
    };
  }
});

// src/agents/opencode/stream.ts
function opencodeParser(now2 = Date.now) {
  const usage = usageSum();
  let lastWords2 = "";
  let retries = 0;
  const failed3 = (message) => {
    retries++;
    const fault = faultOfRetry(message, now2());
    const isHopeless = retries >= HOPELESS_RETRIES || isLongWait(fault, now2());
    return [
      { type: "notice", text: `API retry ${retries}: ${shortened(message)}` },
      { type: "fault", fault, isHopeless }
    ];
  };
  const partEvents = (line) => {
    const part = objectFrom(line.part);
    switch (line.type) {
      case "text":
        lastWords2 = textFrom(part.text);
        return [{ type: "text", text: lastWords2 }];
      case "tool_use":
        return toolEvents2(part);
      case "step_finish":
        usage.add(usageOf3(part));
        if (part.reason === "tool-calls") return [{ type: "progress", text: "step_finish" }];
        return [{ type: "result", isError: false, text: lastWords2, ...usage.sum() }];
      case "step_start":
        return [{ type: "progress", text: `step_start: session ${textFrom(line.sessionID, "unknown")}` }];
      default:
        return [{ type: "progress", text: textFrom(line.type) }];
    }
  };
  return {
    hasStructure: true,
    parse(raw) {
      if (raw.trim() === "") return [];
      const line = parseObject(raw);
      if (line === null) return [{ type: "unknown", raw }];
      if (line.type === "error") return errorEvents(objectFrom(line.error), now2(), usage.sum());
      if (!PARTS.has(textFrom(line.type))) return [{ type: "unknown", raw }];
      if (line.type !== "step_start") retries = 0;
      return partEvents(line);
    },
    parseStderr(line) {
      const message = /\bmessage="stream error".*\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
      if (message !== void 0 && !line.includes("small=true")) return failed3(message);
      return /^timestamp=\S+ level=/.test(line) ? [] : [{ type: "stderr", text: line }];
    }
  };
}
function faultOfRetry(message, now2) {
  const reason = shortened(message.replace(/^AI_APICallError: /, ""));
  if (!/\brate limit|\bquota\b|\busage limit|\btoo many requests/i.test(message))
    return { kind: "infrastructure", reason };
  return { kind: "limit", reason, resetAt: resetTimeIn(message, now2) };
}
function isLongWait(fault, now2) {
  return fault.kind === "limit" && fault.resetAt !== null && fault.resetAt - now2 > LONGEST_WAIT;
}
function errorEvents(error, now2, usage) {
  const data = objectFrom(error.data);
  const message = textFrom(data.message, textFrom(error.name, "an error"));
  const status = numberFrom(data.statusCode);
  const fault = faultOfRefusal({ status, message, resetAt: resetTimeIn(message, now2) });
  const account2 = { type: "result", isError: true, text: message, reason: shortened(message), ...usage };
  return fault === null ? [account2] : [{ type: "fault", fault }, account2];
}
function toolEvents2(part) {
  const state = objectFrom(part.state);
  const id = textFrom(part.callID);
  const name = textFrom(part.tool, "tool");
  return [
    { type: "tool-start", id, name, input: inputSummary(name, state.input) },
    { type: "tool-end", id, output: textFrom(state.output, textFrom(state.error)), isError: state.status === "error" }
  ];
}
function usageOf3(part) {
  const tokens = objectFrom(part.tokens);
  const cache = objectFrom(tokens.cache);
  const told3 = figures({
    costUsd: part.cost === 0 ? void 0 : part.cost,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: cache.read,
    cacheWriteTokens: cache.write
  });
  return withCache(told3);
}
var LONGEST_WAIT, HOPELESS_RETRIES, PARTS;
var init_stream6 = __esm({
  "src/agents/opencode/stream.ts"() {
    "use strict";
    init_api_fault();
    init_input_summary();
    init_json_line();
    init_reset_time();
    init_usage_sum();
    LONGEST_WAIT = 5 * 6e4;
    HOPELESS_RETRIES = 10;
    PARTS = /* @__PURE__ */ new Set(["step_start", "text", "reasoning", "tool_use", "step_finish"]);
  }
});

// src/agents/opencode/profile.ts
function rehearsalConfiguration(url) {
  const { key, provider, model } = REHEARSAL;
  const scripted2 = { name: "Scripted", tool_call: true, limit: { context: 2e5, output: 8192 } };
  const at = (path) => ({ options: { baseURL: `${url}${path}`, apiKey: key } });
  const providers = {
    [provider]: { npm: "@ai-sdk/openai-compatible", name: "Rehearsal", ...at("/v1"), models: { [model]: scripted2 } },
    anthropic: at("/v1"),
    openai: at("/v1"),
    google: at("/v1beta")
  };
  return {
    autoupdate: false,
    share: "disabled",
    model: `${provider}/${model}`,
    small_model: `${provider}/${model}`,
    enabled_providers: Object.keys(providers),
    provider: providers
  };
}
var LOG, CONFIGURATION, opencode;
var init_profile8 = __esm({
  "src/agents/opencode/profile.ts"() {
    "use strict";
    init_flags();
    init_profile();
    init_error_text();
    init_stream6();
    LOG = [{ words: ["--print-logs"] }, { words: ["--log-level", "ERROR"] }];
    CONFIGURATION = ["agent", "command", "plugin", "skill", "tool"].flatMap((name) => [name, `${name}s`]).concat("opencode.json", "opencode.jsonc").sort();
    opencode = {
      name: "opencode",
      title: "opencode",
      install: "npm install -g opencode-ai",
      readsStdin: { words: ["run"] },
      sandbox: {
        hosts: ["opencode.ai", "models.dev", "*.anthropic.com", "api.openai.com"],
        state: {
          // It does not start where it cannot write the last one.
          usual: [".local/share/opencode", ".local/state/opencode", ".cache/opencode", ".config/opencode"],
          obeyed: ["bin"],
          watched: ["AGENTS.md", "config.json", "node_modules", "package.json", ...CONFIGURATION].sort(),
          filled: ["bin", "node_modules", "package.json"],
          quiet: ["/sys/kernel/debug/tracing"]
        }
      },
      projectConfig: [...inFolder(".opencode", CONFIGURATION), "opencode.json", "opencode.jsonc"],
      accountVariables: ["OPENCODE_"],
      // Its configuration and data have no variable of their own, only those that all programs share.
      rehearsal: {
        variables: ({ url }) => ({
          // Laid over the project's own configuration.
          OPENCODE_CONFIG_CONTENT: JSON.stringify(rehearsalConfiguration(url)),
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_MODELS_FETCH: "1",
          OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
          OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
          // It would wait without end for the packages of the project's plugins.
          OPENCODE_PURE: "1"
        }),
        // It installs its plugins' library at every start unless this says that it is there; no plugin will miss it.
        files: () => ({
          ".config/opencode/node_modules/.keep": "",
          ".config/opencode/package-lock.json": JSON.stringify({
            packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } }
          })
        }),
        sharedFolders: [
          { variable: "XDG_CONFIG_HOME", usual: ".config", own: "opencode" },
          { variable: "XDG_DATA_HOME", usual: ".local/share", own: "opencode" }
        ]
      },
      tellsCost: "dollars",
      tested: "with 1.18.33",
      terminal: {
        screen: {
          input: { at: "beside-bar", placeholder: /^Ask anything…/ },
          busy: { footer: /\besc (?:again to )?interrupt\b/ }
        },
        readyLines: [/opencode\s+v\d+/, /tab\s+switch\s+agent/, /ctrl\+p\s+commands/],
        subcommands: "serve web auth agent models stats export import github mcp upgrade acp".split(" "),
        faultIn: faultOfErrorLine
      },
      commandLine: promptOnStdin([{ words: ["--format", "json"] }, ...LOG], "run"),
      parser: inFormat(["--format"], "json", opencodeParser)
    };
  }
});

// src/agents/pi/stream.ts
function piParser(now2 = Date.now) {
  const usage = usageSum();
  let lastWords2 = "";
  let failure3 = null;
  let held2 = [];
  const release = () => {
    const events = held2;
    held2 = [];
    return events;
  };
  const messageEvents = (message) => {
    if (message.role !== "assistant") return [];
    usage.add(usageOf4(objectFrom(message.usage)));
    failure3 = failureOf2(message);
    if (failure3 !== null) return [];
    const texts = textsOf(message.content);
    if (texts.length > 0) lastWords2 = texts.join("\n");
    return texts.map((text2) => ({ type: "text", text: text2 }));
  };
  const accountEvents = () => {
    if (failure3 === null) return [{ type: "result", isError: false, text: lastWords2, ...usage.sum() }];
    const reason = shortened(messageIn(failure3));
    const account2 = { type: "result", isError: true, text: failure3, reason, ...usage.sum() };
    held2 = [...faultEvents2(failure3, now2()), account2];
    return [];
  };
  const retryEvents2 = (line) => {
    held2 = [];
    return [{ type: "notice", text: retryText2(line) }, ...faultEvents2(textFrom(line.errorMessage), now2())];
  };
  const lineEvents = (line, raw) => {
    switch (line.type) {
      case "session":
        return [{ type: "progress", text: `session ${textFrom(line.id, "unknown")}` }];
      case "message_end":
        return messageEvents(objectFrom(line.message));
      case "tool_execution_start":
        return [toolStart3(line)];
      case "tool_execution_end":
        return [toolEnd3(line)];
      case "agent_end":
        return accountEvents();
      case "compaction_end":
        return compactionEvents(line);
      default:
        return PROGRESS.has(textFrom(line.type)) ? [{ type: "progress", text: textFrom(line.type) }] : [{ type: "unknown", raw }];
    }
  };
  return {
    hasStructure: true,
    parse(raw) {
      if (isUpdate(raw)) return [];
      if (raw.trim() === "") return [];
      const line = parseObject(raw);
      if (line?.type === "auto_retry_start") return retryEvents2(line);
      return [...release(), ...line === null ? [{ type: "unknown", raw }] : lineEvents(line, raw)];
    },
    end: release,
    parseStderr(line) {
      const shown2 = { type: "stderr", text: line };
      if (!/^(?:No API key found|No models available|Authentication failed)\b/.test(line)) return [shown2];
      return [shown2, { type: "fault", fault: { kind: "auth", reason: shortened(line) } }];
    }
  };
}
function isUpdate(line) {
  return line.startsWith(UPDATE);
}
function failureOf2(message) {
  if (message.stopReason !== "error" && message.stopReason !== "aborted") return null;
  return textFrom(message.errorMessage) || `the request ended with: ${message.stopReason}`;
}
function faultEvents2(failure3, now2) {
  const fault = faultOfErrorText(failure3, now2);
  return fault === null ? [] : [{ type: "fault", fault }];
}
function retryText2(line) {
  const count2 = `${numberFrom(line.attempt) ?? "?"}/${numberFrom(line.maxAttempts) ?? "?"}`;
  const delay = numberFrom(line.delayMs);
  const when = delay === void 0 ? "" : ` in ${(delay / 1e3).toFixed(1)} s`;
  return `API retry ${count2}${when}: ${shortened(messageIn(textFrom(line.errorMessage)))}`;
}
function compactionEvents(line) {
  const message = textFrom(line.errorMessage);
  if (message === "") return [{ type: "progress", text: "compaction_end" }];
  return [{ type: "notice", text: `Compaction failed: ${shortened(message)}` }];
}
function toolStart3(line) {
  const name = textFrom(line.toolName, "tool");
  return { type: "tool-start", id: textFrom(line.toolCallId), name, input: inputSummary(name, line.args) };
}
function toolEnd3(line) {
  const output = textsOf(objectFrom(line.result).content).join("\n");
  return { type: "tool-end", id: textFrom(line.toolCallId), output, isError: line.isError === true };
}
function textsOf(content) {
  return objectsFrom(content).filter((block) => block.type === "text").map((block) => textFrom(block.text)).filter((text2) => text2 !== "");
}
function usageOf4(usage) {
  const cost = objectFrom(usage.cost).total;
  const told3 = figures({
    costUsd: cost === 0 ? void 0 : cost,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite
  });
  return withCache(told3);
}
var PROGRESS, UPDATE;
var init_stream7 = __esm({
  "src/agents/pi/stream.ts"() {
    "use strict";
    init_api_fault();
    init_error_text();
    init_input_summary();
    init_json_line();
    init_usage_sum();
    PROGRESS = /* @__PURE__ */ new Set([
      "agent_start",
      "agent_settled",
      "turn_start",
      "turn_end",
      "message_start",
      "message_update",
      "tool_execution_update",
      "auto_retry_end",
      "compaction_start",
      "entry_appended",
      "queue_update",
      "session_info_changed",
      "thinking_level_changed"
    ]);
    UPDATE = '{"type":"message_update"';
  }
});

// src/agents/pi/profile.ts
var WANTED3, SCRIPTED, pi;
var init_profile9 = __esm({
  "src/agents/pi/profile.ts"() {
    "use strict";
    init_flags();
    init_profile();
    init_error_text();
    init_stream7();
    WANTED3 = [{ words: ["-p"], or: ["--print"] }, { words: ["--mode", "json"] }];
    SCRIPTED = {
      id: REHEARSAL.model,
      name: "Scripted",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 2e5,
      maxTokens: 8192
    };
    pi = {
      name: "pi",
      title: "pi",
      install: "npm install -g @earendil-works/pi-coding-agent",
      readsStdin: { flags: ["-p", "--print"] },
      sandbox: {
        hosts: ["*.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"],
        state: { variable: "PI_CODING_AGENT_DIR", usual: [".pi"], obeyed: ["extensions", "settings.json"] }
      },
      projectConfig: inFolder(".pi", ["extensions", "prompts", "settings.json", "skills"]),
      accountVariables: ["PI_"],
      rehearsal: {
        variables: ({ folder }) => ({
          PI_CODING_AGENT_DIR: folder,
          PI_OFFLINE: "1",
          PI_TELEMETRY: "0",
          PI_SKIP_VERSION_CHECK: "1"
        }),
        // Its vendors' models lead to the loopback too, so that a project's own `--model` is rehearsed as it stands.
        files: ({ url }) => ({
          "models.json": JSON.stringify({
            providers: {
              [REHEARSAL.provider]: {
                baseUrl: `${url}/v1`,
                api: "openai-completions",
                apiKey: REHEARSAL.key,
                models: [SCRIPTED]
              },
              anthropic: { baseUrl: url },
              openai: { baseUrl: `${url}/v1` },
              google: { baseUrl: `${url}/v1beta` }
            }
          }),
          "settings.json": JSON.stringify({ defaultProvider: REHEARSAL.provider, defaultModel: REHEARSAL.model })
        })
      },
      tellsCost: "dollars",
      tested: "with 0.74.2 and 0.87.1",
      terminal: {
        screen: { input: { at: "between-rules" }, busy: { line: /^\s*[\u2801-\u28ff] Working\.\.\./ } },
        headlessFlags: ["--mode"],
        subcommands: ["install", "remove", "update", "list", "config"],
        faultIn: faultOfErrorLine
      },
      commandLine: promptOnStdin(WANTED3),
      parser: inFormat(["--mode"], "json", piParser)
    };
  }
});

// src/agents/qwen/stream.ts
function qwenParser(now2 = Date.now) {
  const claude2 = streamJsonParser({ usageInMessages: false, countsCacheApart: false });
  let apiError = null;
  const eventsOf = (event, line) => {
    switch (event.type) {
      case "text": {
        const { words, error } = withoutError(event.text, line);
        apiError = error;
        return words === "" ? [] : [{ type: "text", text: words }];
      }
      case "tool-start":
        apiError = null;
        return [event];
      case "result": {
        const failure3 = apiError ?? errorIn(event.reason ?? "") ?? event.reason;
        return failure3 === void 0 ? [event] : failed(event, failure3, now2());
      }
      default:
        return [event];
    }
  };
  return {
    hasStructure: true,
    parse: (line) => claude2.parse(line).flatMap((event) => eventsOf(event, line)),
    parseStderr: (line) => qwenStderr(line, now2())
  };
}
function qwenStderr(line, now2) {
  const [, attempt, seconds] = /Waiting for API capacity\D*(\d+), retry in (\d+)s/.exec(line) ?? [];
  if (attempt !== void 0) return waiting(Number(attempt), Number(seconds) * 1e3, now2);
  return BANNERS2.test(line) ? [] : [{ type: "stderr", text: line }];
}
function waiting(attempt, pause, now2) {
  const isAskedFor = pause > LONGEST_OWN_PAUSE;
  const reason = "it waits for the model service, which is at its limit (HTTP 429 or 529)";
  return [
    { type: "notice", text: `API retry ${attempt} in ${pause / 1e3} s: it waits for capacity` },
    {
      type: "fault",
      fault: { kind: "limit", reason, resetAt: isAskedFor ? now2 + pause : null },
      isHopeless: isAskedFor || attempt >= HOPELESS_ATTEMPT
    }
  ];
}
function failed(event, failure3, now2) {
  const fault = faultOf3(failure3, now2);
  const account2 = { ...event, isError: true, reason: shortened(failure3) };
  return fault === null ? [account2] : [{ type: "fault", fault }, account2];
}
function faultOf3(failure3, now2) {
  if (/\bauth type is selected\b|\bmissing API key\b/i.test(failure3))
    return { kind: "auth", reason: shortened(failure3) };
  return faultOfErrorText(failure3, now2);
}
function withoutError(text2, line) {
  const start = Math.max(0, text2.lastIndexOf("[API Error: "));
  const error = errorIn(text2.slice(start));
  if (error === null || hasUsage(line)) return { words: text2, error: null };
  return { words: text2.slice(0, start), error };
}
function errorIn(text2) {
  return /^\[API Error: ([\s\S]*)\](?:\n[^\n]*)?$/.exec(text2)?.[1] ?? null;
}
function hasUsage(line) {
  const message = objectFrom(parseObject(line)?.message);
  return (numberFrom(objectFrom(message.usage).output_tokens) ?? 0) > 0;
}
var LONGEST_OWN_PAUSE, HOPELESS_ATTEMPT, BANNERS2;
var init_stream8 = __esm({
  "src/agents/qwen/stream.ts"() {
    "use strict";
    init_stream();
    init_api_fault();
    init_error_text();
    init_json_line();
    LONGEST_OWN_PAUSE = 5 * 6e4;
    HOPELESS_ATTEMPT = 7;
    BANNERS2 = /^(?:Ripgrep (?:is )?not available|Warning: running headless with --yolo)/;
  }
});

// src/agents/qwen/profile.ts
var WANTED4, qwen;
var init_profile10 = __esm({
  "src/agents/qwen/profile.ts"() {
    "use strict";
    init_flags();
    init_profile2();
    init_profile();
    init_error_text();
    init_stream8();
    WANTED4 = [
      { words: ["-o", "stream-json"], or: ["--output-format"] },
      // Without a terminal it refuses every tool that it would ask about.
      { words: ["-y"], or: ["--yolo", "--approval-mode"] }
    ];
    qwen = {
      name: "qwen",
      title: "Qwen Code",
      install: "npm install -g @qwen-code/qwen-code",
      // At a limit it would repeat its calls for an hour without a word; with this it tells that it waits, and is ended.
      environment: { QWEN_CODE_UNATTENDED_RETRY: "1" },
      readsStdin: { flags: ["-p", "--prompt"] },
      sandbox: {
        hosts: ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "chat.qwen.ai", "portal.qwen.ai"],
        state: { variable: "QWEN_HOME", usual: [".qwen"], obeyed: ["QWEN.md", "settings.json"] }
      },
      baseUrls: ["OPENAI_BASE_URL"],
      projectConfig: inFolder(".qwen", [".env", "agents", "commands", "extensions", "hooks", "settings.json", "skills"]),
      accountVariables: ["QWEN_"],
      // And of whatever else takes an OpenAI-compatible server from the environment.
      rehearsal: {
        variables: ({ url, folder }) => ({
          OPENAI_API_KEY: REHEARSAL.key,
          OPENAI_BASE_URL: `${url}/v1`,
          OPENAI_MODEL: REHEARSAL.model,
          QWEN_HOME: folder,
          QWEN_RUNTIME_DIR: folder,
          QWEN_CODE_NO_RELAUNCH: "1",
          QWEN_TELEMETRY_ENABLED: "false"
        }),
        files: () => ({
          "settings.json": JSON.stringify({
            security: { auth: { selectedType: "openai" } },
            general: { enableAutoUpdate: false, disableAutoUpdate: true },
            privacy: { usageStatisticsEnabled: false },
            telemetry: { enabled: false },
            // An agent of its own, with tools, that would take the script's turns.
            memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false }
          })
        })
      },
      tellsCost: "tokens",
      tested: "with 0.15.10 and 0.24.4",
      terminal: {
        screen: {
          input: { at: "between-rules", mark: /^[*>!](?:\s|$)/, placeholder: /^Type your message or @path\/to\/file$/ },
          busy: { line: /\besc to cancel\)/ }
        },
        subcommands: ["mcp", "extensions", "auth"],
        faultIn: faultOfErrorLine
      },
      commandLine: promptOnStdin(WANTED4),
      parser: inFormat(["-o", "--output-format"], "stream-json", qwenParser, () => ({
        ...plainParser(),
        parseStderr: (line) => qwenStderr(line, Date.now())
      }))
    };
  }
});

// src/agents/scripted/profile.ts
var scripted;
var init_profile11 = __esm({
  "src/agents/scripted/profile.ts"() {
    "use strict";
    init_stream();
    scripted = {
      name: "scripted",
      title: "the scripted agent",
      install: null,
      tellsCost: "nothing",
      tested: "in the demo",
      commandLine: ({ command, flags, prompt: prompt2 }) => ({ argv: [command, ...flags, "-p", prompt2], promptOnStdin: false }),
      parser: claudeParser
    };
  }
});

// src/agents/index.ts
function agentsAccess(...commands) {
  return {
    agents: [...new Set(commands)].map((command) => ({ command, ...profileFor(command).sandbox })),
    projectConfig: AGENTS.flatMap(({ projectConfig = [] }) => projectConfig),
    baseUrls: AGENTS.flatMap(({ baseUrls = [] }) => baseUrls)
  };
}
function profileFor(command) {
  return BY_COMMAND.get((0, import_node_path2.basename)(command)) ?? plain;
}
var import_node_path2, AGENTS, DEFAULT_AGENT, BY_COMMAND;
var init_agents = __esm({
  "src/agents/index.ts"() {
    "use strict";
    import_node_path2 = require("node:path");
    init_profile3();
    init_profile4();
    init_profile5();
    init_profile6();
    init_profile7();
    init_profile8();
    init_profile9();
    init_profile2();
    init_profile10();
    init_profile11();
    AGENTS = [claude, codex, gemini, opencode, copilot, qwen, pi, amp];
    DEFAULT_AGENT = claude.name;
    BY_COMMAND = new Map([
      ...AGENTS.map((adapter) => [adapter.name, adapter]),
      ["scripted-agent.cjs", scripted]
    ]);
  }
});

// src/core/error.ts
function errnoOf(error) {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return void 0;
}
var RalphError;
var init_error = __esm({
  "src/core/error.ts"() {
    "use strict";
    RalphError = class extends Error {
      constructor(code, message, advice) {
        super(message);
        this.code = code;
        this.advice = advice;
      }
      code;
      advice;
      name = "RalphError";
    };
  }
});

// src/core/text/duration.ts
function parseDuration(text2) {
  if (!WHOLE.test(text2)) return null;
  const parts = [...text2.matchAll(PART)];
  const total = parts.reduce((sum, [, number2, unit]) => sum + Number(number2) * (UNITS2[unit ?? ""] ?? 0), 0);
  return Math.round(total) || null;
}
function formatDuration(ms) {
  if (ms > 0 && ms < 1e3) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1e3);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds % 3600 / 60), seconds % 60];
  const parts = [hours > 0 ? `${hours}h` : "", minutes > 0 ? `${minutes}m` : "", rest > 0 ? `${rest}s` : ""];
  return parts.join("") || "0s";
}
var UNITS2, WHOLE, PART, FINE_UNITS;
var init_duration = __esm({
  "src/core/text/duration.ts"() {
    "use strict";
    UNITS2 = { ms: 1, s: 1e3, m: 6e4, h: 36e5 };
    WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
    PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
    FINE_UNITS = { ...UNITS2, us: 1e-3, µs: 1e-3, ns: 1e-6 };
  }
});

// src/core/text/quote-word.ts
function shellQuote(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
function quoteWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}
var init_quote_word = __esm({
  "src/core/text/quote-word.ts"() {
    "use strict";
  }
});

// src/core/text/literal.ts
function literally(text2) {
  return text2.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
var init_literal = __esm({
  "src/core/text/literal.ts"() {
    "use strict";
  }
});

// src/core/text/mask.ts
function maskFor(environment) {
  const values = Object.entries(environment).filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET).flatMap(([, value]) => [value ?? "", JSON.stringify(value).slice(1, -1)]).sort((a, b) => b.length - a.length).map(literally);
  const secret = new RegExp([...values, ...FORMS].join("|"), "g");
  return (text2) => {
    const masked2 = text2.replaceAll(secret, HIDDEN);
    return MAY_BE_NAMED.test(masked2) ? masked2.replaceAll(NAMED, `$1${HIDDEN}`) : masked2;
  };
}
function maskData(data, mask) {
  if (typeof data === "string") return mask(data);
  if (data === null || typeof data !== "object") return data;
  if (Array.isArray(data)) return data.map((item) => maskData(item, mask));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, maskData(value, mask)]));
}
function maskAcrossLines(mask) {
  let isInside2 = false;
  return (text2) => {
    const masked2 = mask(text2);
    if (isInside2) {
      const end3 = KEY_ENDS.exec(masked2);
      if (end3 === null) return null;
      isInside2 = false;
      return masked2.slice(end3.index + end3[0].length);
    }
    const begin2 = KEY_BEGINS.exec(masked2);
    if (begin2 === null) return masked2;
    isInside2 = true;
    return `${masked2.slice(0, begin2.index)}${HIDDEN}`;
  };
}
var HIDDEN, FORMS, VALUE, NAME, NAMED, MAY_BE_NAMED, SECRET_NAME, SHORTEST_SECRET, KEY_BEGINS, KEY_ENDS;
var init_mask = __esm({
  "src/core/text/mask.ts"() {
    "use strict";
    init_literal();
    HIDDEN = "***";
    FORMS = [
      String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
      String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
      String.raw`\bgithub_pat_[A-Za-z0-9_]{20,}`,
      String.raw`\bglpat-[A-Za-z0-9_-]{16,}`,
      String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
      String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
      String.raw`\bAIza[A-Za-z0-9_-]{35}`,
      String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
      "-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----"
    ];
    VALUE = String.raw`(?=[^\s"',;\\]{0,200}\d)(?=[^\s"',;\\]{0,200}[A-Za-z])[^\s"',;\\]{8,}`;
    NAME = String.raw`(?:[\w-]{0,40}(?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]{0,40})\\?["']?\s*[=:]\s*\\?["']?|bearer\s+`;
    NAMED = new RegExp(`\\b(${NAME})${VALUE}`, "gi");
    MAY_BE_NAMED = /api[_-]?key|secret|token|passw|bearer/i;
    SECRET_NAME = /KEY|TOKEN|SECRET|PASSW/i;
    SHORTEST_SECRET = 8;
    KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
    KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY-----/;
  }
});

// src/core/record.ts
function firstRecord(created, at) {
  return { v: RECORD_VERSION, seq: 0, at, key: "created", attempt: 1, result: { kind: "created", ...created } };
}
function nextRecord({ seq }, made) {
  const { key, attempt = 1, result, at, resumedAt } = made;
  const came = resumedAt === void 0 ? {} : { resumedAt };
  return { v: RECORD_VERSION, seq: seq + 1, at, key, attempt, result, ...came };
}
var RECORD_VERSION;
var init_record = __esm({
  "src/core/record.ts"() {
    "use strict";
    RECORD_VERSION = 4;
  }
});

// src/core/state.ts
function isOver(state) {
  return state.phase.at === "over";
}
function startedIterations({ iteration, phase, tries, usage }) {
  if (usage.runs === 0 && phase.at !== "await") return 0;
  const isBeforeStart = phase.at === "inputs" || phase.at === "start" && phase.purpose === "work";
  return isBeforeStart && (tries.work ?? 1) === 1 ? iteration - 1 : iteration;
}
var init_state = __esm({
  "src/core/state.ts"() {
    "use strict";
  }
});

// src/state/paths.ts
function stateRoot(environment) {
  const given = environment.XDG_STATE_HOME ?? "";
  const base = (0, import_node_path3.isAbsolute)(given) ? given : (0, import_node_path3.join)(environment.HOME || "/", ".local", "state");
  return { path: (0, import_node_path3.join)(base, "ralph") };
}
function loopsFolder(root) {
  return (0, import_node_path3.join)(root.path, "loops");
}
function loopFolder(root, id) {
  return (0, import_node_path3.join)(loopsFolder(root), id);
}
function journalPath(loop) {
  return (0, import_node_path3.join)(loop, "journal.jsonl");
}
function statusPath(loop) {
  return (0, import_node_path3.join)(loop, "status.json");
}
var import_node_path3;
var init_paths = __esm({
  "src/state/paths.ts"() {
    "use strict";
    import_node_path3 = require("node:path");
  }
});

// src/core/system-fault.ts
function systemFault(error, { resume, choosable = [] } = {}) {
  const known = factsOf(error);
  if (known === null) return null;
  const { kind, what, path } = known;
  const place = choosable.find(
    ({ folder }) => path === folder || path?.startsWith(`${folder}/`) || isAbove(path, folder)
  );
  const elsewhere = kind.isOfPlace === true && place !== void 0 ? `${kind.hint.slice(0, -1)}, or ${place.choose}.` : kind.hint;
  const hint = resume === void 0 ? elsewhere : `${elsewhere} Then run: ${resume}`;
  return new RalphError(SYSTEM_FAULT, `${what}: ${kind.reason}`, { hint, exitCode: 2 });
}
function reasonOf(error) {
  return factsOf(error)?.kind.reason ?? (error instanceof Error ? error.message : String(error));
}
function naming(path, act) {
  try {
    return act();
  } catch (error) {
    throw named2(error, path);
  }
}
function named2(error, path) {
  if (error instanceof Error && "syscall" in error && !("path" in error)) Object.assign(error, { path });
  return error;
}
function factsOf(error) {
  const code = errnoOf(error) ?? "";
  const kind = KINDS[code];
  if (kind === void 0 || !(error instanceof Error) || !("syscall" in error)) return null;
  const syscall = String(error.syscall);
  if (syscall === "uv_cwd") {
    const gone = { reason: "it no longer exists", hint: "Change to a directory that does." };
    return { kind: code === "ENOENT" ? gone : kind, what: "cannot work in the current directory", path: null };
  }
  const path = pathOf(error);
  if (syscall.startsWith("spawn")) return startFacts(kind, code, path ?? syscall.slice("spawn ".length));
  if (path === null && code === "ENOENT") return null;
  return { kind, what: path === null ? "cannot go on" : `cannot ${verbOf(syscall, code)} ${path}`, path };
}
function startFacts(kind, code, program2) {
  const missing2 = { reason: "not found", hint: `Install it, or put it on the PATH.` };
  return { kind: code === "ENOENT" ? missing2 : kind, what: `cannot start ${program2}`, path: null };
}
function pathOf(error) {
  const { dest, path } = error;
  if (typeof dest === "string") return dest;
  return typeof path === "string" ? path : null;
}
function verbOf(syscall, code) {
  if (ONLY_WRITING.includes(code)) return "write";
  if (READING.includes(syscall)) return "read";
  return syscall === "open" ? "open" : "write";
}
function isAbove(path, folder) {
  return path !== null && folder.startsWith(`${path}/`);
}
var FULL, ALLOW, IN_THE_WAY, KINDS, SYSTEM_FAULT, READING, ONLY_WRITING;
var init_system_fault = __esm({
  "src/core/system-fault.ts"() {
    "use strict";
    init_error();
    FULL = "Free some space on that disk.";
    ALLOW = "Change its permissions or its owner.";
    IN_THE_WAY = "Move it out of the way.";
    KINDS = {
      ENOSPC: { reason: "no space left on device", hint: FULL, isOfPlace: true },
      EDQUOT: { reason: "disk quota exceeded", hint: FULL, isOfPlace: true },
      EFBIG: { reason: "file too large", hint: "Raise the limit (ulimit -f), or remove the file." },
      EROFS: { reason: "read-only file system", hint: "Mount it writable.", isOfPlace: true },
      EACCES: { reason: "permission denied", hint: ALLOW, isOfPlace: true },
      EPERM: { reason: "operation not permitted", hint: ALLOW, isOfPlace: true },
      EIO: { reason: "input/output error", hint: "Check the disk.", isOfPlace: true },
      ENOENT: { reason: "no such file or directory", hint: "Check that the path exists.", isOfPlace: true },
      EEXIST: { reason: "something else has this name", hint: IN_THE_WAY, isOfPlace: true },
      EISDIR: { reason: "it is a directory, not a file", hint: IN_THE_WAY },
      ENOTDIR: { reason: "part of this path is a file, not a directory", hint: IN_THE_WAY, isOfPlace: true },
      ENOTEMPTY: { reason: "directory not empty", hint: IN_THE_WAY },
      ELOOP: { reason: "too many symbolic links", hint: "Remove the link that leads back to itself.", isOfPlace: true },
      ENAMETOOLONG: { reason: "file name too long", hint: "Use a shorter path.", isOfPlace: true },
      ENXIO: { reason: "it is not a regular file", hint: IN_THE_WAY },
      ENODEV: { reason: "it is not a regular file", hint: IN_THE_WAY },
      EBUSY: { reason: "it is in use", hint: "Try again when it is not." },
      ESTALE: { reason: "stale file handle", hint: "Mount the network disk again.", isOfPlace: true },
      EMFILE: { reason: "too many open files", hint: "Raise the limit (ulimit -n)." },
      ENFILE: { reason: "too many open files on this machine", hint: "Close some programs." },
      ENOMEM: { reason: "out of memory", hint: "Close some programs." },
      EAGAIN: { reason: "too many processes", hint: "Close some programs, or raise the limit (ulimit -u)." }
    };
    SYSTEM_FAULT = "SYSTEM";
    READING = ["read", "scandir", "opendir", "stat", "lstat", "fstat", "access", "readlink", "realpath"];
    ONLY_WRITING = ["ENOSPC", "EDQUOT", "EROFS", "EFBIG"];
  }
});

// src/process/files.ts
function writeFile(path, content, { mode = 438, flag: flag2 = "w" } = {}) {
  naming(path, () => (0, import_node_fs.writeFileSync)(path, content, { mode, flag: FLAGS[flag2] }));
}
function appendFile(path, content, { mode = 438 } = {}) {
  writeFile(path, content, { mode, flag: "a" });
}
function openForWriting(path, { mode = 438, flag: flag2 = "w" } = {}) {
  return (0, import_node_fs.openSync)(path, FLAGS[flag2], mode);
}
function makeFolders(path, mode = 511) {
  const made = madeFolder(path, mode);
  if (made !== null) return made;
  const around = makeFolders((0, import_node_path4.dirname)(path), mode);
  const again = madeFolder(path, mode);
  if (again === null) (0, import_node_fs.mkdirSync)(path, { mode });
  return [...around, ...again ?? [path]];
}
function madeFolder(path, mode) {
  try {
    (0, import_node_fs.mkdirSync)(path, { mode });
    return [path];
  } catch (error) {
    if (errnoOf(error) === "ENOENT" && (0, import_node_path4.dirname)(path) !== path) return null;
    if ((0, import_node_fs.statSync)(path, { throwIfNoEntry: false })?.isDirectory() === true) return [];
    throw error;
  }
}
function whyNoFolder(path) {
  if ((0, import_node_fs.statSync)(path, { throwIfNoEntry: false })?.isDirectory() === true) return null;
  return { reason: `cannot work in ${path}: there is no such directory`, hint: "Make it again." };
}
function readPlainText(path, largest = LARGEST) {
  return contentOf(openPlain(path), path, largest).toString("utf8");
}
function openPlain(path, flags = 0) {
  const fd = openAny(path, flags);
  const stat = (0, import_node_fs.fstatSync)(fd);
  if (stat.isFile()) return fd;
  (0, import_node_fs.closeSync)(fd);
  throw notPlain(path, stat);
}
function contentOf(fd, path, largest) {
  try {
    if ((0, import_node_fs.fstatSync)(fd).size > largest) throw new RalphError("PLAIN_FILE", `${path} is too large`, { exitCode: 2 });
    return naming(path, () => (0, import_node_fs.readFileSync)(fd));
  } finally {
    (0, import_node_fs.closeSync)(fd);
  }
}
function openAny(path, flags) {
  try {
    return (0, import_node_fs.openSync)(path, O_RDONLY | O_NONBLOCK | flags);
  } catch (error) {
    throw ["ENXIO", "ENODEV"].includes(errnoOf(error) ?? "") ? notPlain(path, null) : error;
  }
}
function notPlain(path, stat) {
  return new RalphError("PLAIN_FILE", `${path} is not a plain file${stat === null ? "" : whatItIs(stat)}`, {
    hint: "Move it out of the way.",
    exitCode: 2
  });
}
function whatItIs(stat) {
  if (stat.isDirectory()) return " but a directory";
  return stat.isFIFO() ? " but a named pipe" : "";
}
var import_node_fs, import_node_path4, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY, MAKES, FLAGS, LARGEST;
var init_files = __esm({
  "src/process/files.ts"() {
    "use strict";
    import_node_fs = require("node:fs");
    import_node_path4 = require("node:path");
    init_error();
    init_system_fault();
    ({ O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = import_node_fs.constants);
    MAKES = O_WRONLY | O_CREAT | O_NONBLOCK;
    FLAGS = { w: MAKES | O_TRUNC, wx: MAKES | O_EXCL, a: MAKES | O_APPEND };
    LARGEST = 16 * 1024 * 1024;
  }
});

// src/state/projection.ts
function writeProjection(path, content) {
  const next2 = `${path}.next`;
  try {
    writeAnew(next2, content, 384);
    (0, import_node_fs2.renameSync)(next2, path);
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? Object.assign(error, { path }) : error;
  }
}
function writeAnew(path, content, mode) {
  try {
    writeFile(path, content, { mode, flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    removeFile(path);
    writeFile(path, content, { mode, flag: "wx" });
  }
}
function removeFile(path) {
  try {
    (0, import_node_fs2.unlinkSync)(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
var import_node_fs2;
var init_projection = __esm({
  "src/state/projection.ts"() {
    "use strict";
    import_node_fs2 = require("node:fs");
    init_error();
    init_files();
  }
});

// src/state/status.ts
function statusOf(state, createdAt) {
  const { id, loopKind, cwd, iteration, phase } = state;
  const ending = isOver(state) ? state.phase.ending : null;
  return { v: 1, id, loopKind, cwd, createdAt, updatedAt: state.at, iteration, phase: phase.at, ending };
}
function writeStatus(loop, status) {
  writeProjection(statusPath(loop), `${JSON.stringify(status)}
`);
}
var init_status = __esm({
  "src/state/status.ts"() {
    "use strict";
    init_state();
    init_paths();
    init_projection();
  }
});

// src/core/backoff.ts
function afterSetback(inARow, unit) {
  return inARow >= FAILURES_THAT_END_A_LOOP ? "give-up" : backoff(inARow, unit);
}
function backoff(inARow, unit = 1e3) {
  return Math.min(2 ** (inARow - 1), LONGEST_SECONDS) * unit;
}
var FAILURES_THAT_END_A_LOOP, LONGEST_SECONDS;
var init_backoff = __esm({
  "src/core/backoff.ts"() {
    "use strict";
    FAILURES_THAT_END_A_LOOP = 5;
    LONGEST_SECONDS = 300;
  }
});

// src/core/ending.ts
function canContinue({ kind }) {
  return kind !== "done" && kind !== "stopped" && kind !== "waiting";
}
function endingOfFault(outcome) {
  switch (outcome.kind) {
    case "limit":
      return { kind: "usage-limit", reason: outcome.reason, resetAt: outcome.resetAt };
    case "auth":
    case "blocked":
    case "tampered":
      return { kind: outcome.kind, reason: outcome.reason };
    default:
      return null;
  }
}
var EXIT_CODES, EXIT_INTERRUPTED;
var init_ending = __esm({
  "src/core/ending.ts"() {
    "use strict";
    EXIT_CODES = {
      done: 0,
      "iteration-limit": 1,
      configuration: 2,
      "kept-failing": 3,
      infrastructure: 3,
      auth: 4,
      blocked: 5,
      decision: 6,
      stuck: 7,
      stopped: 130,
      tampered: 9,
      "usage-limit": 10,
      unpublished: 11,
      // As seed 002 says.
      waiting: 0
    };
    EXIT_INTERRUPTED = 130;
  }
});

// src/core/outcome.ts
function describeFailure({ outcome, complaint }) {
  if (outcome.kind === "worked") return "";
  if (outcome.kind !== "failed") return outcome.reason;
  return [describeExit(outcome.exit), outcome.reason ?? complaint].filter((part) => part !== void 0).join(": ");
}
function describeExit(exit) {
  switch (exit.by) {
    case "code":
      return `exit ${exit.code}`;
    case "signal":
      return `signal ${exit.signal}`;
    case "timeout":
      return `timed out after ${formatDuration(exit.afterMs)}`;
    case "unseen":
      return "ended unseen";
  }
}
function exitNumber(exit) {
  switch (exit.by) {
    case "code":
      return exit.code;
    case "signal":
      return 128 + (SIGNAL_NUMBERS[exit.signal] ?? 0);
    case "timeout":
      return 124;
    case "unseen":
      return 255;
  }
}
var SIGNAL_NUMBERS;
var init_outcome = __esm({
  "src/core/outcome.ts"() {
    "use strict";
    init_duration();
    SIGNAL_NUMBERS = {
      SIGHUP: 1,
      SIGINT: 2,
      SIGQUIT: 3,
      SIGILL: 4,
      SIGABRT: 6,
      SIGFPE: 8,
      SIGKILL: 9,
      SIGSEGV: 11,
      SIGPIPE: 13,
      SIGALRM: 14,
      SIGTERM: 15
    };
  }
});

// src/core/rules.ts
function ruleOf(rules, name) {
  const rule = rules[name];
  if (rule === void 0) throw new Error(`the loop kind "${rules.loopKind}" has no rule "${name}"`);
  return rule;
}
function stepRule({ loopKind, steps }, what) {
  const rule = steps !== void 0 && Object.hasOwn(steps, what) ? steps[what] : void 0;
  if (rule === void 0) throw new Error(`the loop kind "${loopKind}" has no step "${what}"`);
  return rule;
}
var init_rules = __esm({
  "src/core/rules.ts"() {
    "use strict";
  }
});

// src/core/tries.ts
function nextTry(state, purpose) {
  return { ...state, tries: { ...state.tries, [purpose]: tryOf(state, purpose) + 1 } };
}
function withTry(state, purpose) {
  return purpose === "work" ? state : { ...state, tries: { ...state.tries, [purpose]: 1 } };
}
function tryOf(state, purpose) {
  return state.tries[purpose] ?? 1;
}
function runOf(state, purpose) {
  return { loop: state.id, iteration: state.iteration, purpose, try: tryOf(state, purpose) };
}
function waitKey(state, then) {
  return then === "next-iteration" ? `${state.iteration}/wait` : `${state.iteration}/again/${tryOf(state, "work")}`;
}
var init_tries = __esm({
  "src/core/tries.ts"() {
    "use strict";
  }
});

// src/core/usage.ts
function addRun(usage, ran, purpose = "work") {
  const { costUsd, inputTokens, outputTokens, cacheReadTokens = 0 } = ran?.account ?? {};
  const tellsTokens = inputTokens !== void 0 && outputTokens !== void 0;
  return {
    runs: usage.runs + 1,
    costUsd: usage.costUsd + (costUsd ?? 0),
    runsWithoutCost: usage.runsWithoutCost + (costUsd === void 0 ? 1 : 0),
    inputTokens: usage.inputTokens + (tellsTokens ? inputTokens : 0),
    outputTokens: usage.outputTokens + (tellsTokens ? outputTokens : 0),
    runsWithoutTokens: usage.runsWithoutTokens + (tellsTokens ? 0 : 1),
    ...withCached(usage, tellsTokens ? cacheReadTokens : 0),
    toolCalls: usage.toolCalls + (ran?.toolCalls ?? 0),
    ...withMessageRuns(usage, purpose === "message" ? 1 : 0),
    ...withRefusals(usage, ran?.refusals ?? 0)
  };
}
function addRefusals(usage, refusals) {
  return { ...usage, ...withRefusals(usage, refusals) };
}
function withCached(usage, more) {
  const cachedTokens = (usage.cachedTokens ?? 0) + more;
  return cachedTokens === 0 ? {} : { cachedTokens };
}
function withMessageRuns(usage, more) {
  const messageRuns = (usage.messageRuns ?? 0) + more;
  return messageRuns === 0 ? {} : { messageRuns };
}
function withRefusals(usage, more) {
  const refusals = (usage.refusals ?? 0) + more;
  return refusals === 0 ? {} : { refusals };
}
function describeUsage(usage) {
  const { runs, costUsd, runsWithoutCost, inputTokens, outputTokens, runsWithoutTokens, toolCalls } = usage;
  const parts = [plural(runs, "run"), ...messageParts(usage)];
  const tellsCost = runsWithoutCost < runs;
  const tellsTokens = runsWithoutTokens < runs;
  if (tellsCost) parts.push(dollars(costUsd));
  if (tellsTokens) {
    const cached2 = usage.cachedTokens === void 0 ? "" : ` (${shortCount(usage.cachedTokens)} cached)`;
    parts.push(`${shortCount(inputTokens)} tokens in${cached2} / ${shortCount(outputTokens)} out`);
  }
  if (toolCalls > 0) parts.push(plural(toolCalls, "tool call"));
  if (usage.refusals !== void 0) parts.push(`${plural(usage.refusals, "refusal")} by the sandbox`);
  if (!tellsCost) parts.push("cost unknown");
  else if (runsWithoutCost > 0) parts.push(`${plural(runsWithoutCost, "run")} of unknown cost`);
  return parts.join(", ");
}
function messageParts({ messageRuns = 0 }) {
  if (messageRuns === 0) return [];
  return [`${messageRuns} of them for ${messageRuns === 1 ? "the commit message" : "commit messages"}`];
}
function dollars(amount) {
  return amount > 0 && amount < 0.095 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`;
}
function shortCount(count2) {
  if (count2 >= 1e6) return `${(count2 / 1e6).toFixed(1)}M`;
  if (count2 >= 1e3) return `${Math.round(count2 / 1e3)}K`;
  return String(count2);
}
function plural(count2, what) {
  return `${count2} ${what}${count2 === 1 ? "" : "s"}`;
}
var NO_USAGE;
var init_usage = __esm({
  "src/core/usage.ts"() {
    "use strict";
    NO_USAGE = {
      runs: 0,
      costUsd: 0,
      runsWithoutCost: 0,
      inputTokens: 0,
      outputTokens: 0,
      runsWithoutTokens: 0,
      toolCalls: 0
    };
  }
});

// src/core/apply.ts
function apply(rules, before, record) {
  refuseNewer(record);
  const workedMs = before.workedMs + Math.max(0, record.at - (record.resumedAt ?? before.at));
  const state = { ...before, seq: record.seq, at: record.at, workedMs };
  const { phase } = state;
  const { result } = record;
  switch (result.kind) {
    case "inputs": {
      expectPhase(phase, "inputs", result);
      const data = result.inputs === void 0 ? state.data : rules.takeInputs(state.data, result.inputs);
      const known = { ...state, data, knownInputs: result.digest };
      const elsewhere = rules.afterInputs?.(known) ?? null;
      if (elsewhere !== null) return take(rules, known, elsewhere);
      const limit = rules.limit(data);
      if (state.iteration > limit) {
        return end({ ...known, iteration: state.iteration - 1 }, { kind: "iteration-limit", limit });
      }
      return { ...known, phase: { at: "start", purpose: "work" } };
    }
    case "started":
      expectPhase(phase, "start", result);
      return { ...state, phase: { at: "await", purpose: phase.purpose, handle: result.handle } };
    case "needless":
      expectPhase(phase, "start", result);
      return take(rules, state, ruleOf(rules, "afterNeedless")(state, phase.purpose));
    case "ran":
      expectPhase(phase, "await", result);
      return afterRun(rules, { ...state, usage: addRun(state.usage, result, phase.purpose) }, phase.purpose, result);
    case "checked":
      expectPhase(phase, "check", result);
      return take(
        rules,
        { ...state, usage: addRefusals(state.usage, result.refused?.length ?? 0) },
        ruleOf(rules, "checks").after(state, result)
      );
    case "published":
      expectPhase(phase, "publish", result);
      return take(rules, state, ruleOf(rules, "publishing").after(state, result));
    case "stepped":
      expectPhase(phase, "step", result);
      return take(rules, state, stepRule(rules, phase.what).after(state, result.gave));
    case "waited":
      expectPhase(phase, "wait", result);
      return afterWait(rules, { ...state, consumed: result.consumed ?? state.consumed }, phase, result.command);
    case "interrupted":
      return afterInterruption(
        phase.at === "await" ? { ...state, usage: addRun(state.usage, null, phase.purpose) } : state
      );
    case "unstartable": {
      expectPhase(phase, "start", result);
      const { reason, hint } = result;
      return end(state, { kind: "configuration", reason, ...hint === void 0 ? {} : { hint } });
    }
    case "ended":
      if (!["stopped", "tampered"].includes(result.ending.kind)) expectPhase(phase, "end", result);
      return {
        ...state,
        // What a run that was cut off has cost is unknown.
        usage: phase.at === "await" ? addRun(state.usage, null, phase.purpose) : state.usage,
        phase: { at: "over", ending: result.ending }
      };
    case "continued":
      return afterContinue(rules, state, result.options);
    case "created":
      throw new Error(`record ${record.seq} begins the loop a second time`);
  }
}
function afterContinue(rules, before, options) {
  const still = rules.afterStandstill?.(before.data) ?? before.data;
  const data = options === void 0 ? still : rules.takeOptions?.(still, options) ?? still;
  const state = { ...before, data };
  if (state.phase.at !== "over") return state;
  const { ending } = state.phase;
  if (!canContinue(ending)) throw new Error(`a loop that ended as "${ending.kind}" is continued`);
  const again = {
    ...state,
    failuresInARow: 0,
    faultsInARow: 0,
    continued: state.continued + 1,
    phase: { at: "inputs" }
  };
  const isIterationOver2 = ending.kind === "iteration-limit" || ending.kind === "kept-failing";
  return isIterationOver2 ? nextIteration(again) : nextTry(again, "work");
}
function afterRun(rules, state, purpose, ran) {
  const { outcome } = ran;
  if (outcome.kind === "interrupted") return afterInterruption(state);
  if (rules.afterEveryRun !== void 0 && purpose === "work") {
    const isGood = outcome.kind === "worked";
    const counted3 = rules.deferFailureCount ? state : isGood ? { ...state, failuresInARow: 0 } : withFailure(state, ran);
    return take(rules, counted3, rules.afterEveryRun(counted3, ran));
  }
  return defaultTransition(rules, state, purpose, ran);
}
function defaultTransition(rules, state, purpose, ran) {
  const { outcome } = ran;
  const fault = endingOfFault(outcome);
  if (fault !== null) return end(state, fault);
  if (purpose !== "work") return take(rules, state, ruleOf(rules, "afterRun")(state, purpose, ran));
  switch (outcome.kind) {
    case "worked":
      return take(
        rules,
        { ...state, failuresInARow: 0, faultsInARow: 0 },
        ruleOf(rules, "afterRun")(state, purpose, ran)
      );
    case "failed": {
      const failed3 = withFailure(state, ran);
      const { failuresInARow } = failed3;
      const waitMs = afterSetback(failuresInARow, rules.backoffUnit(state.data));
      if (waitMs === "give-up") {
        return end(failed3, { kind: "kept-failing", failures: failuresInARow, reason: describeFailure(ran) });
      }
      return go(rules, failed3, { to: "next-iteration" }, state.at + waitMs);
    }
    default: {
      const faultsInARow = state.faultsInARow + 1;
      const reason = outcome.kind === "infrastructure" ? outcome.reason : `${outcome.kind}: ${outcome.reason}`;
      const waitMs = afterSetback(faultsInARow, rules.backoffUnit(state.data));
      if (waitMs === "give-up") return end(state, { kind: "infrastructure", reason });
      const until = state.at + waitMs;
      return { ...nextTry(state, "work"), faultsInARow, phase: { at: "wait", until, then: "same-iteration" } };
    }
  }
}
function afterWait(rules, state, wait, command) {
  if (command === "stop") return end(state, { kind: "stopped" });
  if (command === "pause") return { ...state, phase: { ...wait, until: "command" } };
  const data = command === "resume" ? rules.afterStandstill?.(state.data) ?? state.data : state.data;
  const inputs = { ...state, data, phase: { at: "inputs" } };
  return wait.then === "same-iteration" ? inputs : nextIteration(inputs);
}
function nextIteration(state) {
  return { ...state, iteration: state.iteration + 1, tries: { work: 1 } };
}
function afterInterruption(state) {
  const { phase } = state;
  if (phase.at !== "start" && phase.at !== "await") return state;
  const again = nextTry(state, phase.purpose);
  if (phase.purpose !== "work") return { ...again, phase: { at: "start", purpose: phase.purpose } };
  return { ...again, phase: { at: "wait", until: "now", then: "same-iteration" } };
}
function take(rules, state, step) {
  const rest = rules.rest?.(step.data) ?? 0;
  return go(rules, { ...state, data: step.data }, step.go, rest > 0 ? state.at + rest : "now");
}
function go(rules, state, to, rest) {
  switch (to.to) {
    case "run":
      return { ...withTry(state, to.purpose), phase: { at: "start", purpose: to.purpose } };
    case "check":
      return { ...state, phase: { at: "check", index: to.index } };
    case "publish":
      return { ...state, phase: { at: "publish", index: to.index } };
    case "step":
      return { ...state, phase: { at: "step", what: to.what } };
    case "next-iteration": {
      const limit = rules.limit(state.data);
      if (state.iteration >= limit && rules.rereadsLimit !== "after-rest") {
        return rules.rereadsLimit === "at-once" ? nextIteration({ ...state, phase: { at: "inputs" } }) : end(state, { kind: "iteration-limit", limit });
      }
      return { ...state, phase: { at: "wait", until: rest, then: "next-iteration" } };
    }
    case "again":
      return { ...nextTry(state, "work"), phase: { at: "wait", until: "now", then: "same-iteration" } };
    case "default":
      return defaultTransition(rules, state, "work", to.ran);
    case "end":
      return end(state, to.ending);
  }
}
function end(state, ending) {
  return { ...state, phase: { at: "end", ending } };
}
function withFailure(state, ran) {
  const { failuresInARow, failures } = state;
  return {
    ...state,
    failuresInARow: failuresInARow + 1,
    failures: failures + 1,
    lastFailure: describeFailure(ran)
  };
}
function refuseNewer({ v, seq }) {
  if (v <= RECORD_VERSION) return;
  throw new RalphError("NEWER_RECORD", `record ${seq} has version ${v}: a newer release wrote it`, {
    hint: "Go on with that release, or a later one.",
    exitCode: 2
  });
}
function expectPhase(phase, at, result) {
  if (phase.at !== at) throw new Error(`a "${result.kind}" record in phase "${phase.at}"`);
}
var init_apply = __esm({
  "src/core/apply.ts"() {
    "use strict";
    init_backoff();
    init_ending();
    init_error();
    init_outcome();
    init_record();
    init_rules();
    init_tries();
    init_usage();
  }
});

// src/core/action.ts
var NO_LIMITS;
var init_action = __esm({
  "src/core/action.ts"() {
    "use strict";
    NO_LIMITS = { timeMs: null, idleMs: null };
  }
});

// src/core/keys.ts
function runName(run) {
  return `${run.iteration}/${run.purpose}/${run.try}`;
}
var init_keys = __esm({
  "src/core/keys.ts"() {
    "use strict";
  }
});

// src/core/next.ts
function next(rules, state) {
  const { phase, iteration } = state;
  switch (phase.at) {
    case "inputs":
      return {
        do: "read-inputs",
        key: `${iteration}/inputs/${tryOf(state, "work")}`,
        known: state.knownInputs,
        ...rules.inputsGiven === void 0 ? {} : { given: rules.inputsGiven(state.data) }
      };
    case "start": {
      const run = runOf(state, phase.purpose);
      const agent2 = rules.agent(state, phase.purpose);
      const prompt2 = rules.prompt(state, phase.purpose);
      const unlessClean = rules.unlessClean?.(state, phase.purpose) ?? null;
      const reason = unlessClean === null ? {} : { unlessClean };
      return { do: "start", key: `${runName(run)}/start`, run, agent: agent2, prompt: prompt2, ...reason };
    }
    case "await": {
      const run = runOf(state, phase.purpose);
      const listen = rules.listen(state, phase.purpose);
      const agent2 = rules.agent(state, phase.purpose);
      return {
        do: "await",
        key: `${runName(run)}/await`,
        run,
        agent: agent2,
        handle: phase.handle,
        listen,
        limits: rules.limits?.(state, phase.purpose) ?? NO_LIMITS,
        ...rules.screen === void 0 ? {} : { screen: rules.screen(state) }
      };
    }
    case "check":
      return {
        do: "check",
        key: `${iteration}/check/${phase.index}`,
        check: ruleOf(rules, "checks").spec(state, phase.index)
      };
    case "publish":
      return {
        do: "publish",
        key: `${iteration}/publish/${phase.index}`,
        what: ruleOf(rules, "publishing").spec(state, phase.index)
      };
    case "step": {
      const { what } = phase;
      const step = stepRule(rules, what);
      const key = `${iteration}/${what}/${tryOf(state, "work")}`;
      return { do: "step", key, what, given: step.given(state), outward: step.outward === true };
    }
    case "wait":
      return { do: "wait", key: waitKey(state, phase.then), until: phase.until, consumed: state.consumed };
    case "end":
    case "over":
      return { do: "end", key: state.continued === 0 ? "end" : `end/${state.continued + 1}`, ending: phase.ending };
  }
}
var init_next = __esm({
  "src/core/next.ts"() {
    "use strict";
    init_action();
    init_keys();
    init_rules();
    init_tries();
  }
});

// src/core/machine.ts
function loopMachine(typed) {
  const rules = typed;
  return {
    begin: (first) => begin(rules, first),
    next: (state) => next(rules, state),
    apply: (state, record) => apply(rules, state, record)
  };
}
function fold({ begin: begin2, apply: apply2 }, records) {
  const [first, ...rest] = records;
  if (first === void 0) throw new Error("a journal without a first record has no state");
  try {
    return rest.reduce(apply2, begin2(first));
  } catch (error) {
    if (error instanceof RalphError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new RalphError(RECORDS_MISFIT, `the records of the loop do not fit together: ${why}`, {
      hint: "Its journal was edited or damaged. Start a new loop.",
      exitCode: 2
    });
  }
}
function begin(rules, first) {
  refuseNewer(first);
  const created = first.result;
  if (created.kind !== "created") throw new Error(`the first record is "${created.kind}", not "created"`);
  return {
    id: created.id,
    loopKind: created.loopKind,
    cwd: created.cwd,
    seq: first.seq,
    startedAt: first.at,
    at: first.at,
    workedMs: 0,
    iteration: 1,
    tries: { work: 1 },
    phase: { at: "inputs" },
    failuresInARow: 0,
    failures: 0,
    lastFailure: null,
    faultsInARow: 0,
    usage: NO_USAGE,
    knownInputs: null,
    consumed: null,
    continued: 0,
    data: rules.begin(created.options)
  };
}
var RECORDS_MISFIT;
var init_machine = __esm({
  "src/core/machine.ts"() {
    "use strict";
    init_apply();
    init_error();
    init_next();
    init_usage();
    RECORDS_MISFIT = "RECORDS_MISFIT";
  }
});

// src/core/check.ts
function outcomeOfCommand(exit) {
  switch (exit.by) {
    case "timeout":
      return { is: "timed-out", afterMs: exit.afterMs };
    case "unseen":
      return { is: "unseen" };
    default: {
      const code = exitNumber(exit);
      if (exit.by === "code" && code === 0) return { is: "passed" };
      if (exit.by === "code" && UNRUNNABLE.includes(code)) return { is: "unrunnable", code };
      return { is: "failed", how: describeExit(exit), code };
    }
  }
}
function hasPassed({ outcome }) {
  return outcome.is === "passed";
}
function describeOutcome(outcome) {
  switch (outcome.is) {
    case "passed":
      return "exit 0";
    case "failed":
      return outcome.how;
    case "unrunnable":
      return `exit ${outcome.code}`;
    case "timed-out":
      return `timed out after ${formatDuration(outcome.afterMs)}`;
    case "unseen":
      return "ended unseen";
  }
}
var UNRUNNABLE;
var init_check = __esm({
  "src/core/check.ts"() {
    "use strict";
    init_outcome();
    init_duration();
    UNRUNNABLE = [126, 127];
  }
});

// src/core/upcast.ts
function upcast(record) {
  const { result } = record;
  const today = upcastResult(result);
  return today === result ? record : { ...record, v: Math.max(record.v, RECORD_VERSION), result: today };
}
function upcastResult(result) {
  switch (result.kind) {
    case "created":
      return "door" in result ? { kind: "created", ...upcastCreated(result) } : result;
    case "checked":
      return "exit" in result ? { kind: "checked", ...upcastChecked(result) } : result;
    default:
      return result;
  }
}
function upcastCreated(created) {
  if (!("door" in created)) return created;
  const { door, ...rest } = created;
  return { ...rest, loopKind: door === "insession" ? "session" : door };
}
function upcastChecked({ exit, passed: _passed, tree, ...rest }) {
  const outcome = outcomeOfCommand(exit);
  return { ...rest, outcome: outcome.is === "unrunnable" && tree !== void 0 ? { ...outcome, tree } : outcome };
}
var init_upcast = __esm({
  "src/core/upcast.ts"() {
    "use strict";
    init_check();
    init_record();
  }
});

// src/state/folders.ts
function makePrivateFolder(path) {
  return makeFolders(path, 448);
}
function syncToDisk(path) {
  const fd = (0, import_node_fs3.openSync)(path, "r");
  try {
    naming(path, () => (0, import_node_fs3.fsyncSync)(fd));
  } finally {
    (0, import_node_fs3.closeSync)(fd);
  }
}
var import_node_fs3;
var init_folders = __esm({
  "src/state/folders.ts"() {
    "use strict";
    import_node_fs3 = require("node:fs");
    init_error();
    init_system_fault();
    init_files();
  }
});

// src/state/journal.ts
function createJournal(path, first, mask) {
  const fd = (0, import_node_fs4.openSync)(path, "ax", 384);
  const journal = journalOn(fd, path, mask);
  try {
    journal.append(first);
    journal.syncNow();
    syncToDisk((0, import_node_path5.dirname)(path));
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}
function openJournal(path, mask) {
  const { records, wholeBytes, torn } = readJournal(path);
  const fd = (0, import_node_fs4.openSync)(path, "r+");
  if (torn !== null) {
    writeFile(`${path}.torn-${wholeBytes}`, torn, { mode: 384 });
    (0, import_node_fs4.ftruncateSync)(fd, wholeBytes);
  }
  (0, import_node_fs4.closeSync)(fd);
  return { journal: journalOn((0, import_node_fs4.openSync)(path, "a"), path, mask), records };
}
function readJournal(path) {
  return parseJournal(contentOf(openPlain(path), path, Number.POSITIVE_INFINITY), path);
}
function readJournalEnds(path) {
  const fd = openPlain(path);
  try {
    const { size } = (0, import_node_fs4.fstatSync)(fd);
    for (let length = Math.min(ENDS_CHUNK, size); ; length = Math.min(length * 8, size)) {
      const first = recordsIn(bytesAt(fd, path, 0, length), true).at(0);
      const last = recordsIn(bytesAt(fd, path, size - length, length), length === size).at(-1);
      if (first !== void 0 && last !== void 0)
        return { first: readable(first, path), last: readable(last, path) };
      if (length === size) break;
    }
    parseJournal(bytesAt(fd, path, 0, size), path);
    return null;
  } finally {
    (0, import_node_fs4.closeSync)(fd);
  }
}
function bytesAt(fd, path, from, length) {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(
    0,
    naming(path, () => (0, import_node_fs4.readSync)(fd, bytes, 0, length, from))
  );
}
function recordsIn(bytes, isBeginning) {
  const lines = bytes.toString("utf8").split("\n").slice(isBeginning ? 0 : 1, -1);
  return lines.flatMap((line, index) => parseRecord(line, isBeginning ? index : null) ?? []);
}
function readable(record, path) {
  if (record.v > RECORD_VERSION) throw newer(path, record.v);
  return upcast(record);
}
function parseJournal(bytes, path) {
  const records = [];
  let wholeBytes = 0;
  for (let end3 = bytes.indexOf(LF); end3 >= 0; end3 = bytes.indexOf(LF, wholeBytes)) {
    const record = parseRecord(bytes.toString("utf8", wholeBytes, end3), records.length);
    if (record === null) {
      if (records.length === 0) throw damaged(path, 1);
      if (holdsRecordAfter(bytes, end3 + 1)) throw damaged(path, records.length + 1);
      break;
    }
    records.push(readable(record, path));
    wholeBytes = end3 + 1;
  }
  return { records, wholeBytes, torn: wholeBytes === bytes.length ? null : bytes.subarray(wholeBytes) };
}
function journalOn(fd, path, mask) {
  const syncData = (0, import_node_util.promisify)(import_node_fs4.fdatasync);
  return {
    append(record) {
      const line = Buffer.from(`${lineOf(record, mask)}
`);
      naming(path, () => {
        for (let written = 0; written < line.length; ) written += (0, import_node_fs4.writeSync)(fd, line, written);
      });
      return line;
    },
    async sync() {
      try {
        await syncData(fd);
      } catch (error) {
        throw named2(error, path);
      }
    },
    syncNow() {
      naming(path, () => (0, import_node_fs4.fsyncSync)(fd));
    },
    close: () => (0, import_node_fs4.closeSync)(fd)
  };
}
function lineOf(record, mask) {
  const line = JSON.stringify(record);
  if (!line.includes("\\") && mask(line) === line) return line;
  const result = maskData(record.result, mask);
  const masked2 = JSON.stringify({ ...record, result, masked: true });
  return JSON.stringify({ ...record, result }) === line ? line : masked2;
}
function parseRecord(line, seq) {
  try {
    const record = JSON.parse(line);
    return (seq === null ? Number.isInteger(record.seq) : record.seq === seq) && typeof record.v === "number" && typeof record.result?.kind === "string" ? record : null;
  } catch {
    return null;
  }
}
function holdsRecordAfter(bytes, from) {
  return bytes.toString("utf8", from).split("\n").some((line) => line.startsWith('{"v":') && line.endsWith("}"));
}
function newer(path, version3) {
  return new RalphError(
    "JOURNAL_NEWER",
    `cannot read ${path}: a newer release of ralph wrote it (format ${version3}, this one reads up to ${RECORD_VERSION})`,
    { hint: "Update ralph, or start a new loop.", exitCode: 2 }
  );
}
function damaged(path, line) {
  return new RalphError("JOURNAL_DAMAGED", `${path} is damaged at line ${line}`, {
    hint: "It was not cut off by a crash but changed. Restore it from a copy, or start a new loop.",
    exitCode: 2
  });
}
var import_node_fs4, import_node_path5, import_node_util, LF, ENDS_CHUNK;
var init_journal = __esm({
  "src/state/journal.ts"() {
    "use strict";
    import_node_fs4 = require("node:fs");
    import_node_path5 = require("node:path");
    import_node_util = require("node:util");
    init_error();
    init_record();
    init_system_fault();
    init_mask();
    init_upcast();
    init_files();
    init_folders();
    LF = 10;
    ENDS_CHUNK = 16 * 1024;
  }
});

// src/process/identity/identity-darwin.ts
var identity_darwin_exports = {};
__export(identity_darwin_exports, {
  bootedAt: () => bootedAt,
  instantOf: () => instantOf,
  ownPid: () => ownPid,
  startTimeOf: () => startTimeOf,
  thisMachine: () => thisMachine
});
function thisMachine() {
  return { machine: (0, import_node_os.hostname)(), boot: ask("sysctl", ["-n", "kern.boottime"]) ?? "unknown", pidNamespace: "host" };
}
function ownPid() {
  return process.pid;
}
function startTimeOf(pid) {
  const line = ask("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  if (line === null || line === "" || line.startsWith("Z")) return null;
  return line.slice(line.indexOf(" ")).trim();
}
function instantOf(startTime) {
  return Date.parse(startTime);
}
function bootedAt() {
  const seconds = /\bsec = (\d+)/.exec(ask("sysctl", ["-n", "kern.boottime"]) ?? "")?.[1];
  return seconds === void 0 ? null : Number(seconds) * 1e3;
}
function ask(command, args) {
  const { execFileSync: execFileSync3 } = process.getBuiltinModule("node:child_process");
  try {
    return execFileSync3(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}
var import_node_os;
var init_identity_darwin = __esm({
  "src/process/identity/identity-darwin.ts"() {
    "use strict";
    import_node_os = require("node:os");
  }
});

// src/process/identity/identity-linux.ts
var identity_linux_exports = {};
__export(identity_linux_exports, {
  bootedAt: () => bootedAt2,
  instantOf: () => instantOf2,
  ownPid: () => ownPid2,
  readGone: () => readGone,
  readRow: () => readRow,
  startTimeOf: () => startTimeOf2,
  thisMachine: () => thisMachine2
});
function thisMachine2() {
  return {
    machine: readFirstLine("/etc/machine-id") ?? (0, import_node_os2.hostname)(),
    boot: readFirstLine("/proc/sys/kernel/random/boot_id") ?? "unknown",
    pidNamespace: (0, import_node_fs5.readlinkSync)("/proc/self/ns/pid")
  };
}
function ownPid2() {
  return Number((0, import_node_fs5.readlinkSync)("/proc/self"));
}
function startTimeOf2(pid) {
  const row = readRow(pid);
  return row === null || row.isDead ? null : row.startTime;
}
function instantOf2(startTime) {
  const own2 = readRow(ownPid2())?.startTime ?? startTime;
  return performance.timeOrigin + (Number(startTime) - Number(own2)) * TICK_MS;
}
function bootedAt2() {
  return instantOf2("0");
}
function readRow(pid) {
  const text2 = readGone(`/proc/${pid}/stat`);
  if (text2 === null) return null;
  const fields = text2.slice(text2.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group2] = fields;
  const startTime = fields[19];
  if (state === void 0 || startTime === void 0) return null;
  return { pid, parent: Number(parent), group: Number(group2), startTime, isDead: state === "Z" || state === "X" };
}
function readGone(path) {
  try {
    return (0, import_node_fs5.readFileSync)(path, "latin1");
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
function readFirstLine(path) {
  const line = readGone(path)?.split("\n", 1)[0];
  return line === void 0 || line === "" ? null : line;
}
var import_node_fs5, import_node_os2, TICK_MS;
var init_identity_linux = __esm({
  "src/process/identity/identity-linux.ts"() {
    "use strict";
    import_node_fs5 = require("node:fs");
    import_node_os2 = require("node:os");
    init_error();
    TICK_MS = 10;
  }
});

// src/process/identity/identity.ts
function thisMachine3() {
  return platform.thisMachine();
}
function identify(pid, place) {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, boot: place.boot };
}
function ownIdentity(place) {
  const self = identify(platform.ownPid(), place);
  if (self === null) throw new Error("this process does not find itself");
  return self;
}
function isRunning(identity2, place) {
  return identity2.boot === place.boot && platform.startTimeOf(identity2.pid) === identity2.startTime;
}
var platform;
var init_identity = __esm({
  "src/process/identity/identity.ts"() {
    "use strict";
    init_identity_darwin();
    init_identity_linux();
    platform = process.platform === "darwin" ? identity_darwin_exports : identity_linux_exports;
  }
});

// src/state/lock.ts
function tryLock(folder, purpose, place) {
  const self = ownIdentity(place);
  makePrivateFolder(folder);
  const mine = `holder-${String(process.hrtime.bigint()).padStart(20, "0")}-${process.pid}.json`;
  const path = (0, import_node_path6.join)(folder, mine);
  const holder = { v: 1, ...self, place, purpose };
  writeFile((0, import_node_path6.join)(folder, `.${mine}`), `${JSON.stringify(holder)}
`, { mode: 384 });
  (0, import_node_fs6.renameSync)((0, import_node_path6.join)(folder, `.${mine}`), path);
  for (let look2 = 1; ; look2++) {
    const other = otherHolder(folder, mine, place);
    if (other === null) return { got: true, lock: { release: () => removeOwn(path) } };
    if ((0, import_node_path6.basename)(other.file) < mine || look2 === LOOKS) {
      (0, import_node_fs6.rmSync)(path, { force: true });
      return other;
    }
    sleepNow(BETWEEN_LOOKS_MS);
  }
}
function sleepNow(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
function removeOwn(path) {
  try {
    (0, import_node_fs6.unlinkSync)(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
function lockHolder(folder, place) {
  const other = holderNow(folder, place);
  return other === null || other.foreign ? null : other.holder;
}
function holderNow(folder, place) {
  try {
    return otherHolder(folder, "", place);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
function otherHolder(folder, mine, place) {
  for (const name of (0, import_node_fs6.readdirSync)(folder).sort()) {
    if (name === mine || !name.startsWith("holder-")) continue;
    const file = (0, import_node_path6.join)(folder, name);
    const holder = readHolder(file);
    if (holder === null) continue;
    const rebooted = holder.place.machine === place.machine && holder.place.boot !== place.boot;
    const foreign = holder.place.machine !== place.machine || !rebooted && holder.place.pidNamespace !== place.pidNamespace;
    if (foreign || isRunning(holder, place)) return { got: false, holder, foreign, file };
    (0, import_node_fs6.rmSync)(file, { force: true });
  }
  return null;
}
function readHolder(file) {
  let text2;
  try {
    text2 = readPlainText(file);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || error instanceof RalphError) return null;
    throw error;
  }
  const holder = parseHolder(text2);
  if (holder === null) (0, import_node_fs6.rmSync)(file, { force: true });
  return holder;
}
function parseHolder(text2) {
  try {
    const holder = JSON.parse(text2);
    const isWhole = typeof holder?.pid === "number" && typeof holder.place?.machine === "string";
    return isWhole ? holder : null;
  } catch {
    return null;
  }
}
var import_node_fs6, import_node_path6, LOOKS, BETWEEN_LOOKS_MS;
var init_lock = __esm({
  "src/state/lock.ts"() {
    "use strict";
    import_node_fs6 = require("node:fs");
    import_node_path6 = require("node:path");
    init_error();
    init_files();
    init_identity();
    init_folders();
    LOOKS = 25;
    BETWEEN_LOOKS_MS = 2;
  }
});

// src/state/request.ts
function keepRequest(loop, { options }, mask) {
  const text2 = JSON.stringify(options);
  if (JSON.stringify(maskData(options, mask)) === text2) return;
  const path = (0, import_node_path7.join)(loop, REQUEST_FILE);
  writeFile(path, text2, { mode: 384 });
  syncToDisk(path);
}
function withRequest(records, loop) {
  const [first, ...rest] = records;
  const path = (0, import_node_path7.join)(loop, REQUEST_FILE);
  if (first?.masked !== true || first.result.kind !== "created" || !(0, import_node_fs7.existsSync)(path)) return [...records];
  const options = parsed(readPlainText(path), path);
  return [{ ...first, result: { ...first.result, options } }, ...rest];
}
function parsed(text2, path) {
  try {
    return JSON.parse(text2);
  } catch {
    throw new RalphError("REQUEST_DAMAGED", `${path} is damaged: it is not valid JSON`, {
      hint: "Restore it from a copy, or start a new loop.",
      exitCode: 2
    });
  }
}
var import_node_fs7, import_node_path7, REQUEST_FILE;
var init_request = __esm({
  "src/state/request.ts"() {
    "use strict";
    import_node_fs7 = require("node:fs");
    import_node_path7 = require("node:path");
    init_error();
    init_mask();
    init_files();
    init_folders();
    REQUEST_FILE = "request.json";
  }
});

// src/state/new-loop.ts
function makeLoopsFolder(root) {
  for (const made of makePrivateFolder(loopsFolder(root))) syncToDisk((0, import_node_path8.dirname)(made));
}
function makeLoop(root, created, at, mask) {
  const folder = loopFolder(root, created.id);
  const first = firstRecord(created, at);
  try {
    makePrivateFolder(folder);
    syncToDisk(loopsFolder(root));
    keepRequest(folder, created, mask);
    return { folder, journal: createJournal(journalPath(folder), first, mask), first };
  } catch (error) {
    removeUnbegun(folder);
    throw error;
  }
}
function removeUnbegun(folder) {
  try {
    (0, import_node_fs8.rmSync)(folder, { recursive: true, force: true });
  } catch {
  }
}
var import_node_fs8, import_node_path8;
var init_new_loop = __esm({
  "src/state/new-loop.ts"() {
    "use strict";
    import_node_fs8 = require("node:fs");
    import_node_path8 = require("node:path");
    init_record();
    init_folders();
    init_journal();
    init_paths();
    init_request();
  }
});

// src/core/text/digest.ts
function digestOf(text2) {
  let high = 3735928559;
  let low = 1103547991;
  for (let index = 0; index < text2.length; index++) {
    const unit = text2.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ high >>> 16, 2246822507) ^ Math.imul(low ^ low >>> 13, 3266489909);
  low = Math.imul(low ^ low >>> 16, 2246822507) ^ Math.imul(high ^ high >>> 13, 3266489909);
  return (2 ** 32 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, "0");
}
var init_digest = __esm({
  "src/core/text/digest.ts"() {
    "use strict";
  }
});

// src/state/work-tree-lock.ts
function workTreeLock(root, cwd) {
  return (0, import_node_path9.join)(root.path, "locks", digestOf(cwd));
}
var import_node_path9;
var init_work_tree_lock = __esm({
  "src/state/work-tree-lock.ts"() {
    "use strict";
    import_node_path9 = require("node:path");
    init_digest();
  }
});

// src/engine/loop.ts
function createLoop(machine2, created, at, home) {
  makeLoopsFolder(home.root);
  const lock = lockFor(home, created.cwd, created.id);
  try {
    const { folder, journal, first } = makeLoop(home.root, created, at, home.mask);
    const close = closing(journal, lock);
    try {
      const state = machine2.begin(first);
      writeStatus(folder, statusOf(state, at));
      return { folder, createdAt: at, journal, state, close };
    } catch (error) {
      journal.close();
      removeUnbegun(folder);
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}
function reopenLoop(machine2, id, cwd, home, readInputs) {
  const lock = lockFor(home, cwd, id);
  const folder = loopFolder(home.root, id);
  try {
    const { journal, records } = openJournal(journalPath(folder), home.mask);
    try {
      const [first] = records;
      if (first === void 0) throw neverBegan(id, folder);
      const state = fold(machine2, withWholeInputs(withRequest(records, folder), readInputs));
      refreshStatus(folder, statusOf(state, first.at));
      return { folder, createdAt: first.at, journal, state, close: closing(journal, lock) };
    } catch (error) {
      journal.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}
function refreshStatus(folder, status) {
  try {
    writeStatus(folder, status);
  } catch (error) {
    if (systemFault(error) === null) throw error;
  }
}
function neverBegan(id, folder) {
  return new RalphError("LOOP_EMPTY", `${journalPath(folder)} has no records: loop ${id} was cut off before it began`, {
    hint: "Start it again.",
    exitCode: 2
  });
}
function continueLoop(machine2, loop, options, at) {
  const result = { kind: "continued", ...options === void 0 ? {} : { options } };
  const record = nextRecord(loop.state, { key: `continued/${loop.state.seq + 1}`, result, at, resumedAt: at });
  const state = machine2.apply(loop.state, record);
  loop.journal.append(record);
  writeStatus(loop.folder, statusOf(state, loop.createdAt));
  return { ...loop, state };
}
function withWholeInputs(records, readInputs) {
  const created = records[0]?.result;
  if (created?.kind !== "created") return [...records];
  return records.map((record) => {
    const { masked: masked2, result } = record;
    if (masked2 !== true || result.kind !== "inputs" || result.inputs === void 0) return record;
    const inputs = readInputs(created.options, result.inputs);
    return inputs === void 0 ? record : { ...record, result: { ...result, inputs } };
  });
}
function closing(journal, lock) {
  return () => {
    journal.close();
    lock.release();
  };
}
function lockFor({ root, place, exclusive, stopWith }, cwd, id) {
  const attempt = tryLock(exclusive?.lock ?? workTreeLock(root, cwd), `loop ${id}`, place);
  if (attempt.got) return attempt.lock;
  const { holder, foreign, file } = attempt;
  const where = foreign ? " on another machine or in another container" : "";
  throw new RalphError(
    "LOCKED",
    `a loop already runs ${exclusive?.what ?? `in ${cwd}`} (pid ${holder.pid}${where}, ${holder.purpose})`,
    {
      hint: foreign ? `If it is gone for good, remove ${file}` : `Stop it first: ${stopWith ?? `kill ${holder.pid}`}`,
      exitCode: 2
    }
  );
}
var init_loop = __esm({
  "src/engine/loop.ts"() {
    "use strict";
    init_error();
    init_machine();
    init_record();
    init_system_fault();
    init_journal();
    init_lock();
    init_new_loop();
    init_paths();
    init_request();
    init_status();
    init_work_tree_lock();
  }
});

// src/process/containment/cgroup.ts
function findCgroupHome(choose = (own2) => own2) {
  const mount = unifiedMount();
  const own2 = ownPath();
  if (mount === null || own2 === null) return null;
  const path = (0, import_node_path10.join)(mount, choose(own2));
  const probe = (0, import_node_path10.join)(path, `ralph-probe-${process.pid}`);
  removeQuietly(probe);
  try {
    (0, import_node_fs9.mkdirSync)(probe);
    (0, import_node_fs9.readFileSync)((0, import_node_path10.join)(probe, "cgroup.events"));
    (0, import_node_fs9.writeFileSync)((0, import_node_path10.join)(probe, "cgroup.kill"), "1");
    const home = { path, procs: (0, import_node_fs9.openSync)((0, import_node_path10.join)(mount, own2, "cgroup.procs"), "w") };
    enter(probe);
    goHome(home);
    return home;
  } catch {
    return null;
  } finally {
    removeQuietly(probe);
  }
}
function leafPath(home, mark2) {
  return (0, import_node_path10.join)(home.path, `ralph-${mark2.replaceAll(/[^\w.-]/g, "-")}`);
}
function makeLeaf(leaf) {
  (0, import_node_fs9.mkdirSync)(leaf);
}
function bornInside(home, leaf, spawn3) {
  enter(leaf);
  try {
    return spawn3();
  } finally {
    goHome(home);
  }
}
function removeLeafIfEmpty(leaf) {
  try {
    (0, import_node_fs9.rmdirSync)(leaf);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") return true;
    if (code !== "EBUSY") throw error;
  }
  const inner = leavesIn(leaf);
  return inner.length > 0 && inner.every(removeLeafIfEmpty) && removeLeafIfEmpty(leaf);
}
function leavesIn(leaf) {
  try {
    return (0, import_node_fs9.readdirSync)(leaf, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => (0, import_node_path10.join)(leaf, entry.name));
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENODEV") return [];
    throw error;
  }
}
function membersOf(leaf) {
  try {
    return (0, import_node_fs9.readFileSync)((0, import_node_path10.join)(leaf, "cgroup.procs"), "latin1").split("\n").filter(Boolean).map(Number);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENODEV") return [];
    throw error;
  }
}
function membersBelow(leaf) {
  return [...membersOf(leaf), ...leavesIn(leaf).flatMap(membersBelow)];
}
function killLeaf(leaf) {
  if (membersOf(leaf).includes(process.pid))
    throw new Error(`refusing to end the cgroup ${leaf}: this process is in it`);
  try {
    (0, import_node_fs9.writeFileSync)((0, import_node_path10.join)(leaf, "cgroup.kill"), "1");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "ENODEV") throw error;
  }
}
function enter(path) {
  const procs = (0, import_node_fs9.openSync)((0, import_node_path10.join)(path, "cgroup.procs"), "w");
  try {
    (0, import_node_fs9.writeSync)(procs, "0");
  } finally {
    (0, import_node_fs9.closeSync)(procs);
  }
}
function goHome({ procs }) {
  (0, import_node_fs9.writeSync)(procs, "0");
}
function unifiedMount() {
  for (const line of (0, import_node_fs9.readFileSync)("/proc/self/mountinfo", "utf8").split("\n")) {
    const [before, after2] = line.split(" - ");
    if (after2?.startsWith("cgroup2 ")) return before?.split(" ")[4] ?? null;
  }
  return null;
}
function ownPath() {
  const line = (0, import_node_fs9.readFileSync)("/proc/self/cgroup", "utf8").split("\n").find((entry) => entry.startsWith("0::"));
  return line?.slice(3) ?? null;
}
function removeQuietly(path) {
  try {
    (0, import_node_fs9.rmdirSync)(path);
  } catch {
  }
}
var import_node_fs9, import_node_path10;
var init_cgroup = __esm({
  "src/process/containment/cgroup.ts"() {
    "use strict";
    import_node_fs9 = require("node:fs");
    import_node_path10 = require("node:path");
    init_error();
  }
});

// src/process/identity/process-table-darwin.ts
var process_table_darwin_exports = {};
__export(process_table_darwin_exports, {
  marksOf: () => marksOf,
  readTable: () => readTable
});
function readTable() {
  const text2 = (0, import_node_child_process.execFileSync)("ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], { encoding: "utf8" });
  return text2.split("\n").map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)).filter((match) => match !== null).map(([, pid, parent, group2, state, startTime]) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group2),
    startTime: startTime?.trim() ?? "",
    isDead: state?.startsWith("Z") ?? false
  }));
}
function marksOf(_pid) {
  return null;
}
var import_node_child_process;
var init_process_table_darwin = __esm({
  "src/process/identity/process-table-darwin.ts"() {
    "use strict";
    import_node_child_process = require("node:child_process");
  }
});

// src/process/containment/mark.ts
function markedEnvironment(inherited, mark2) {
  return inherited === void 0 ? mark2 : `${inherited} ${mark2}`;
}
var MARK_VARIABLE;
var init_mark = __esm({
  "src/process/containment/mark.ts"() {
    "use strict";
    MARK_VARIABLE = "RALPH_MARK";
  }
});

// src/process/identity/process-table-linux.ts
var process_table_linux_exports = {};
__export(process_table_linux_exports, {
  marksOf: () => marksOf2,
  readTable: () => readTable2
});
function readTable2() {
  const table = [];
  for (const name of (0, import_node_fs10.readdirSync)("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readRow(pid);
    if (row !== null) table.push(row);
  }
  return table;
}
function marksOf2(pid) {
  const environment = readGone(`/proc/${pid}/environ`);
  const start = environment === null ? -1 : `\0${environment}`.indexOf(`\0${MARK_VARIABLE}=`);
  if (environment === null || start < 0) return null;
  const value = environment.slice(start + MARK_VARIABLE.length + 1);
  return value.slice(0, value.indexOf("\0"));
}
var import_node_fs10;
var init_process_table_linux = __esm({
  "src/process/identity/process-table-linux.ts"() {
    "use strict";
    import_node_fs10 = require("node:fs");
    init_mark();
    init_identity_linux();
  }
});

// src/process/identity/process-table.ts
function livingOf(mark2, recorded) {
  const leader = recorded !== null && recorded.boot === thisMachine3().boot ? recorded : null;
  const all = platform2.readTable();
  const first = leader === null ? void 0 : all.find((row) => row.pid === leader.pid);
  const reused = first !== void 0 && leader !== null && first.startTime !== leader.startTime;
  const group2 = leader === null || reused ? null : leader.pid;
  const carries = (row) => {
    if (leader !== null && Number(row.startTime) < Number(leader.startTime)) return false;
    return platform2.marksOf(row.pid)?.split(" ").includes(mark2) ?? false;
  };
  const ours = new Set(all.filter((row) => row.group === group2 || row.pid === group2 || carries(row)));
  const pids = new Set([...ours].map(({ pid }) => pid));
  for (let grew = true; grew; ) {
    grew = false;
    for (const row of all) {
      if (pids.has(row.pid) || !pids.has(row.parent)) continue;
      ours.add(row);
      pids.add(row.pid);
      grew = true;
    }
  }
  return [...ours].filter((row) => row.pid !== process.pid && !row.isDead);
}
var platform2;
var init_process_table = __esm({
  "src/process/identity/process-table.ts"() {
    "use strict";
    init_error();
    init_identity();
    init_process_table_darwin();
    init_process_table_linux();
    platform2 = process.platform === "darwin" ? process_table_darwin_exports : process_table_linux_exports;
  }
});

// src/process/end.ts
async function endRun(trace, grace) {
  const run = membership(trace);
  if (await run.isGone()) return true;
  if (grace > 0) {
    run.ask();
    const deadline2 = performance.now() + grace;
    for (let pause = LOOK_EVERY; performance.now() < deadline2; pause = Math.min(2 * pause, LOOK_AT_LEAST_EVERY)) {
      if (await run.isGone()) return true;
      await (0, import_promises.setTimeout)(Math.min(pause, deadline2 - performance.now()));
    }
  }
  const deadline = performance.now() + KILL_TAKES_AT_MOST;
  do {
    run.kill();
    await (0, import_promises.setTimeout)(LOOK_EVERY);
    if (await run.isGone()) return true;
  } while (performance.now() < deadline);
  return false;
}
async function sweep(trace, grace) {
  if (trace.plan.rung === "pid-namespace") return;
  await endRun(trace, grace);
}
function isGone(trace) {
  const { plan, leader } = trace;
  if (plan.leaf !== null) return removeLeafIfEmpty(plan.leaf);
  return livingOf(plan.mark, leader).length === 0;
}
function isInside({ plan, leader }, { pid, ppid }) {
  if (plan.leaf !== null && membersOf(plan.leaf).includes(pid)) return true;
  return livingOf(plan.mark, leader).some((row) => row.pid === ppid);
}
function membership(trace) {
  return trace.plan.leaf === null ? knownByTable(trace) : heldByLeaf(trace.plan.leaf);
}
function heldByLeaf(leaf) {
  return {
    isGone: async () => removeLeafIfEmpty(leaf),
    ask: () => {
      for (const pid of membersBelow(leaf)) send(pid, "SIGTERM");
    },
    kill: () => killLeaf(leaf)
  };
}
function knownByTable({ plan, leader }) {
  const place = thisMachine3();
  const seen = /* @__PURE__ */ new Map();
  const look2 = () => {
    for (const { pid, startTime } of livingOf(plan.mark, leader)) seen.set(pid, { pid, startTime, boot: place.boot });
    for (const [pid, identity2] of seen) if (!isRunning(identity2, place)) seen.delete(pid);
    return [...seen.keys()];
  };
  const signal = (name) => {
    for (const pid of look2()) send(pid, name);
  };
  return {
    async isGone() {
      if (look2().length > 0) return false;
      await (0, import_promises.setTimeout)(LOOK_EVERY);
      return look2().length === 0;
    },
    ask: () => signal("SIGTERM"),
    kill: () => signal("SIGKILL")
  };
}
function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) !== "ESRCH") throw error;
  }
}
var import_promises, LOOK_EVERY, LOOK_AT_LEAST_EVERY, KILL_TAKES_AT_MOST;
var init_end = __esm({
  "src/process/end.ts"() {
    "use strict";
    import_promises = require("node:timers/promises");
    init_error();
    init_cgroup();
    init_identity();
    init_process_table();
    LOOK_EVERY = 5;
    LOOK_AT_LEAST_EVERY = 80;
    KILL_TAKES_AT_MOST = 1e4;
  }
});

// src/process/trace.ts
function writePlan(folder, plan) {
  append(folder, { plan });
}
function writeLeader(folder, mark2, leader) {
  append(folder, { mark: mark2, leader });
}
function readTrace(folder, mark2) {
  let plan = null;
  let leader = null;
  for (const line of readLines(folder)) {
    if ("plan" in line && line.plan.mark === mark2) plan = line.plan;
    if ("leader" in line && line.mark === mark2) leader = line.leader;
  }
  return plan === null ? null : { plan, leader };
}
function readLastTrace(folder) {
  const last = readLines(folder).findLast((line) => "plan" in line);
  return last === void 0 ? null : readTrace(folder, last.plan.mark);
}
function append(folder, line) {
  appendFile((0, import_node_path11.join)(folder, FILE2), `
${JSON.stringify(line)}
`, { mode: 384 });
}
function readLines(folder) {
  let text2;
  try {
    text2 = readPlainText((0, import_node_path11.join)(folder, FILE2), LARGEST2);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
  return text2.split("\n").flatMap((line) => parseLine(line) ?? []);
}
function parseLine(line) {
  try {
    const value = JSON.parse(line);
    return typeof (value?.plan?.mark ?? value?.mark) === "string" ? value : null;
  } catch {
    return null;
  }
}
var import_node_path11, FILE2, LARGEST2;
var init_trace = __esm({
  "src/process/trace.ts"() {
    "use strict";
    import_node_path11 = require("node:path");
    init_error();
    init_files();
    FILE2 = "processes.jsonl";
    LARGEST2 = 1024 * 1024 * 1024;
  }
});

// src/state/loop-id.ts
function newLoopId(now2) {
  const stamp = new Date(now2).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const random = Math.floor(Math.random() * 2 ** 32).toString(16);
  return `${stamp}-${random.padStart(8, "0")}`;
}
function isLoopId(name) {
  return /^\d{8}-\d{6}-[0-9a-f]{8}$/.test(name);
}
var init_loop_id = __esm({
  "src/state/loop-id.ts"() {
    "use strict";
  }
});

// src/state/registry.ts
function listLoops(root) {
  return foldersIn(root).map(readLoop).filter((loop) => loop !== null && !(loop instanceof RalphError)).sort((a, b) => a.createdAt - b.createdAt);
}
function unlessUnreadable(root, hint) {
  const [first, ...more] = foldersIn(root).map(readLoop).filter((loop) => loop instanceof RalphError);
  if (first === void 0) return hint;
  const others = more.length === 0 ? "" : ` (and ${more.length} more like it)`;
  return `It may be one that cannot be read: ${first.message}${others}`;
}
function readLoop(folder) {
  try {
    const ends = readJournalEnds(journalPath(folder));
    if (ends === null) return emptied(folder);
    if (ends.first.result.kind !== "created") return null;
    const { first, last } = ends;
    const { id, loopKind, cwd } = ends.first.result;
    const ending = last.result.kind === "ended" ? last.result.ending : null;
    return { id, loopKind, cwd, createdAt: first.at, updatedAt: last.at, ending };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    if (errnoOf(error) === "ENOTDIR")
      return isLoopId((0, import_node_path12.basename)(folder)) ? unreadable(`${folder} is not a folder`) : null;
    if (error instanceof RalphError) return error;
    const fault = systemFault(error);
    if (fault === null) throw error;
    return fault;
  }
}
function emptied(folder) {
  return (0, import_node_fs11.existsSync)(statusPath(folder)) ? unreadable(`${journalPath(folder)} is empty`) : null;
}
function unreadable(what) {
  return new RalphError("LOOP_UNREADABLE", what, {
    hint: "Restore it from a backup, or start a new loop.",
    exitCode: 2
  });
}
function foldersIn(root) {
  const folder = loopsFolder(root);
  try {
    return (0, import_node_fs11.readdirSync)(folder).map((name) => (0, import_node_path12.join)(folder, name));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
var import_node_fs11, import_node_path12;
var init_registry = __esm({
  "src/state/registry.ts"() {
    "use strict";
    import_node_fs11 = require("node:fs");
    import_node_path12 = require("node:path");
    init_ending();
    init_error();
    init_system_fault();
    init_files();
    init_journal();
    init_loop_id();
    init_paths();
  }
});

// src/state/run-files.ts
function claimRun(loop, key) {
  const folder = runsFolder(loop);
  const name = runFileName(key, 1);
  return { folder, name, isNew: claim(folder, name) };
}
function claimAttempt(loop, key) {
  const folder = runsFolder(loop);
  const cutOff2 = [];
  for (let attempt = 1; ; attempt++) {
    const name = runFileName(key, attempt);
    if (claim(folder, name)) return { folder, name, attempt, cutOff: cutOff2 };
    cutOff2.push({ name, attempt });
  }
}
function refuseFull(folder, output) {
  const probe = (0, import_node_path13.join)(folder, `.room-${process.pid}`);
  try {
    writeFile(probe, ROOM, { mode: 384 });
  } catch (error) {
    if (!NO_ROOM.includes(errnoOf(error) ?? "")) return;
    (0, import_node_fs12.rmSync)(probe, { force: true });
    throw Object.assign(error, { path: (0, import_node_path13.join)(folder, output) });
  }
  (0, import_node_fs12.rmSync)(probe, { force: true });
}
function runsFolder(loop) {
  return (0, import_node_path13.join)(loop, "runs");
}
function outputFile(name) {
  return `${name}.out`;
}
function runFileName(key, attempt) {
  const name = key.replaceAll("/", "-");
  return attempt === 1 ? name : `${name}.${attempt}`;
}
function claim(folder, name) {
  try {
    (0, import_node_fs12.closeSync)((0, import_node_fs12.openSync)((0, import_node_path13.join)(folder, outputFile(name)), "ax", 384));
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
  }
  makeFolders(folder, 448);
  return claim(folder, name);
}
var import_node_fs12, import_node_path13, ROOM, NO_ROOM;
var init_run_files = __esm({
  "src/state/run-files.ts"() {
    "use strict";
    import_node_fs12 = require("node:fs");
    import_node_path13 = require("node:path");
    init_error();
    init_files();
    ROOM = Buffer.alloc(64 * 1024);
    NO_ROOM = ["ENOSPC", "EDQUOT"];
  }
});

// src/process/which.ts
function findProgram(command, path, cwd) {
  return candidates(command, path, cwd).find((file) => whyNotRunnable(file) === null) ?? null;
}
function whyNoProgram(command, path, cwd) {
  for (const file of candidates(command, path, cwd)) {
    const why = whyNotRunnable(file);
    if (why !== null && why !== MISSING) return `${file} ${why}`;
  }
  return null;
}
function candidates(command, path, cwd) {
  const folders = command.includes("/") ? ["."] : (path ?? "").split(import_node_path14.delimiter);
  return folders.map((folder) => (0, import_node_path14.resolve)(cwd, folder, command));
}
function whyNotRunnable(file) {
  try {
    if ((0, import_node_fs13.statSync)(file).isDirectory()) return "is a directory";
    if (!(0, import_node_fs13.statSync)(file).isFile()) return "is not a program";
  } catch (error) {
    return errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR" ? MISSING : `cannot be read: ${errnoOf(error)}`;
  }
  if (!mayRun(file)) return "is not executable";
  const interpreter = interpreterOf(file);
  return interpreter === null || mayRun((0, import_node_path14.resolve)(interpreter)) ? null : `needs the interpreter ${interpreter}, which cannot be run`;
}
function mayRun(file) {
  try {
    (0, import_node_fs13.accessSync)(file, import_node_fs13.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
function interpreterOf(file) {
  const buffer = Buffer.alloc(256);
  let fd;
  try {
    fd = (0, import_node_fs13.openSync)(file, "r");
  } catch {
    return null;
  }
  try {
    const head = buffer.toString("utf8", 0, (0, import_node_fs13.readSync)(fd, buffer));
    return /^#!\s*(\S+)/.exec(head)?.[1] ?? null;
  } finally {
    (0, import_node_fs13.closeSync)(fd);
  }
}
var import_node_fs13, import_node_path14, MISSING;
var init_which = __esm({
  "src/process/which.ts"() {
    "use strict";
    import_node_fs13 = require("node:fs");
    import_node_path14 = require("node:path");
    init_error();
    MISSING = "does not exist";
  }
});

// src/runners/sandbox/enclosed-names.ts
function asideFolder(loopFolder2) {
  return (0, import_node_path15.join)(loopFolder2, "put-aside");
}
function forInside(variables) {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${INSIDE}${name}`, value]));
}
function takeInside(env) {
  const taken3 = {};
  for (const [name, value] of Object.entries(env)) {
    const [, own2] = NAME2.exec(name) ?? [];
    if (own2 === void 0) continue;
    if (value !== void 0) taken3[own2] = value;
    delete env[name];
  }
  return taken3;
}
var import_node_path15, INSIDE, NAME2;
var init_enclosed_names = __esm({
  "src/runners/sandbox/enclosed-names.ts"() {
    "use strict";
    import_node_path15 = require("node:path");
    INSIDE = "RALPH_INSIDE_";
    NAME2 = new RegExp(`^${INSIDE}([A-Za-z_]\\w*)$`);
  }
});

// src/state/plain-file.ts
function readPlain(path) {
  return readPlainBytes(path)?.toString("utf8") ?? null;
}
function whyUnread(path) {
  try {
    (0, import_node_fs14.closeSync)(openPlain(path, import_node_fs14.constants.O_NOFOLLOW));
    return "it is too large";
  } catch (error) {
    if (error instanceof RalphError) return `it${error.message.slice(path.length)}`;
    return errnoOf(error) === "ELOOP" ? "it is a symbolic link, which is not followed" : reasonOf(error);
  }
}
function readPlainBytes(path, largest = LARGEST3) {
  try {
    return contentOf(openPlain(path, import_node_fs14.constants.O_NOFOLLOW), path, largest);
  } catch (error) {
    if (error instanceof RalphError || ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(errnoOf(error) ?? ""))
      return null;
    throw error;
  }
}
var import_node_fs14, LARGEST3;
var init_plain_file = __esm({
  "src/state/plain-file.ts"() {
    "use strict";
    import_node_fs14 = require("node:fs");
    init_error();
    init_system_fault();
    init_files();
    init_files();
    LARGEST3 = 16 * 1024 * 1024;
  }
});

// src/state/git-place.ts
function findGit(workspace) {
  for (let folder = workspace; ; folder = (0, import_node_path16.dirname)(folder)) {
    const entry = (0, import_node_path16.join)(folder, ".git");
    const stat = (0, import_node_fs15.statSync)(entry, { throwIfNoEntry: false });
    if (stat !== void 0) return gitPlace(entry, stat.isDirectory());
    if (folder === (0, import_node_path16.dirname)(folder)) return null;
  }
}
function believedGit(workspace) {
  const git2 = findGit(workspace);
  if (git2 === null) return null;
  const { entry, gitFolder, commonFolder } = git2;
  if (gitFolder === entry) return (0, import_node_fs15.lstatSync)(entry).isDirectory() ? { entry, gitFolder, commonFolder: entry } : null;
  const isWorktree = textOf2((0, import_node_path16.join)(gitFolder, "gitdir")) === entry && (0, import_node_path16.resolve)(gitFolder, "../..") === (0, import_node_path16.resolve)(commonFolder);
  const [, named3] = /^\s*worktree = (.+)$/m.exec(textOf2((0, import_node_path16.join)(gitFolder, "config"))) ?? [];
  const isSubmodule = named3 !== void 0 && (0, import_node_path16.resolve)(gitFolder, named3) === (0, import_node_path16.dirname)(entry) && commonFolder === gitFolder;
  return isWorktree || isSubmodule ? git2 : null;
}
function submoduleFolders({ gitFolder, commonFolder }) {
  return [.../* @__PURE__ */ new Set([gitFolder, commonFolder])].flatMap((folder) => repositoriesIn((0, import_node_path16.join)(folder, "modules")));
}
function submoduleEntry(repository) {
  const [, worktree] = /^\s*worktree = (.+)$/m.exec(textOf2((0, import_node_path16.join)(repository, "config"))) ?? [];
  const entry = worktree === void 0 ? null : (0, import_node_path16.join)((0, import_node_path16.resolve)(repository, worktree), ".git");
  return entry !== null && (0, import_node_fs15.lstatSync)(entry, { throwIfNoEntry: false })?.isFile() === true ? entry : null;
}
function repositoriesIn(folder) {
  return foldersIn2(folder).flatMap(
    (path) => (0, import_node_fs15.existsSync)((0, import_node_path16.join)(path, "HEAD")) ? [path, ...repositoriesIn((0, import_node_path16.join)(path, "modules"))] : repositoriesIn(path)
  );
}
function foldersIn2(folder) {
  if ((0, import_node_fs15.lstatSync)(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = (0, import_node_fs15.readdirSync)(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => (0, import_node_path16.join)(folder, name));
}
function gitPlace(entry, isFolder2) {
  if (isFolder2) return { entry, gitFolder: entry, commonFolder: commonOf(entry) };
  const pointed = /^gitdir: (.+)$/m.exec(textOf2(entry))?.[1];
  if (pointed === void 0) return null;
  const gitFolder = (0, import_node_path16.resolve)((0, import_node_path16.dirname)(entry), pointed);
  return { entry, gitFolder, commonFolder: commonOf(gitFolder) };
}
function commonOf(gitFolder) {
  const named3 = textOf2((0, import_node_path16.join)(gitFolder, "commondir"));
  return named3 === "" ? gitFolder : (0, import_node_path16.resolve)(gitFolder, named3);
}
function textOf2(path) {
  return readPlain(path)?.trim() ?? "";
}
var import_node_fs15, import_node_path16;
var init_git_place = __esm({
  "src/state/git-place.ts"() {
    "use strict";
    import_node_fs15 = require("node:fs");
    import_node_path16 = require("node:path");
    init_plain_file();
  }
});

// src/runners/sandbox/real-path.ts
function realOf(path) {
  try {
    return (0, import_node_fs16.realpathSync)(path);
  } catch (error) {
    if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(errnoOf(error) ?? "")) throw error;
    return (0, import_node_path17.dirname)(path) === path ? path : (0, import_node_path17.join)(realOf((0, import_node_path17.dirname)(path)), (0, import_node_path17.basename)(path));
  }
}
var import_node_fs16, import_node_path17;
var init_real_path = __esm({
  "src/runners/sandbox/real-path.ts"() {
    "use strict";
    import_node_fs16 = require("node:fs");
    import_node_path17 = require("node:path");
    init_error();
  }
});

// src/runners/sandbox/facts.ts
function policyFacts(place) {
  const { loop, cwd, env, stateRoot: stateRoot2, access } = place;
  const home = env.HOME || "/";
  const workspace = (0, import_node_fs17.realpathSync)(cwd);
  const git2 = believedGit(workspace);
  const submodules = git2 === null ? [] : submoduleFolders(git2);
  return {
    workspace,
    home,
    otherHomes: otherHomes(home),
    stateRoot: stateRoot2,
    temp: (0, import_node_path18.join)((0, import_node_fs17.realpathSync)((0, import_node_os3.tmpdir)()), `ralph-${digestOf(loop)}`),
    caches: (0, import_node_path18.join)(env.XDG_CACHE_HOME || (0, import_node_path18.join)(home, ".cache"), "ralph/sandbox", digestOf(workspace)),
    access,
    git: git2,
    otherWorktrees: git2 === null ? [] : otherWorktrees(git2),
    submodules,
    submoduleEntries: submodules.flatMap((repository) => submoduleEntry(repository) ?? []),
    env,
    guardsNames: process.platform === "darwin",
    exists: import_node_fs17.existsSync,
    real: realOf
  };
}
function otherHomes(home) {
  const isRoot = process.getuid?.() === 0;
  const all = isRoot && (0, import_node_fs17.existsSync)("/home") ? (0, import_node_fs17.readdirSync)("/home").map((name) => (0, import_node_path18.join)("/home", name)) : [];
  return [.../* @__PURE__ */ new Set([...listedHome(), ...all])].filter((folder) => folder !== home);
}
function listedHome() {
  try {
    return [(0, import_node_os3.userInfo)().homedir];
  } catch {
    return [];
  }
}
function otherWorktrees({ gitFolder, commonFolder }) {
  const folder = (0, import_node_path18.join)(commonFolder, "worktrees");
  const names = (0, import_node_fs17.existsSync)(folder) ? (0, import_node_fs17.readdirSync)(folder) : [];
  return names.map((name) => (0, import_node_path18.join)(folder, name)).filter((path) => path !== gitFolder);
}
var import_node_fs17, import_node_os3, import_node_path18;
var init_facts = __esm({
  "src/runners/sandbox/facts.ts"() {
    "use strict";
    import_node_fs17 = require("node:fs");
    import_node_os3 = require("node:os");
    import_node_path18 = require("node:path");
    init_digest();
    init_git_place();
    init_real_path();
  }
});

// src/runners/sandbox/agent-folders.ts
function agentFolders(keeping, home, env) {
  const elsewhere = keeping.variable === void 0 ? "" : env[keeping.variable] ?? "";
  const isElsewhere = elsewhere !== "";
  const writable = isElsewhere ? [(0, import_node_path19.join)(elsewhere, keeping.inside ?? "")] : keeping.usual.map((path) => inHome(path, home, env));
  const inEach = (names = []) => writable.flatMap((folder) => names.map((name) => (0, import_node_path19.join)(folder, name)));
  const quiet = (keeping.quiet ?? []).map((path) => inHome(path, home, env));
  return {
    writable,
    readOnly: inEach(keeping.obeyed),
    watched: [...inEach(keeping.watched), ...isElsewhere ? inEach(keeping.watchedElsewhere) : []],
    quiet: [...inEach(keeping.filled), ...quiet]
  };
}
function inHome(path, home, env) {
  if ((0, import_node_path19.isAbsolute)(path)) return path;
  for (const [variable, usual] of Object.entries(SHARED_FOLDERS)) {
    const shared = env[variable] ?? "";
    if ((0, import_node_path19.isAbsolute)(shared) && path.startsWith(`${usual}/`)) return (0, import_node_path19.join)(shared, path.slice(usual.length));
  }
  return (0, import_node_path19.join)(home, path);
}
var import_node_path19, SHARED_FOLDERS;
var init_agent_folders = __esm({
  "src/runners/sandbox/agent-folders.ts"() {
    "use strict";
    import_node_path19 = require("node:path");
    SHARED_FOLDERS = {
      XDG_DATA_HOME: ".local/share",
      XDG_STATE_HOME: ".local/state",
      XDG_CACHE_HOME: ".cache",
      XDG_CONFIG_HOME: ".config"
    };
  }
});

// src/runners/sandbox/hosts.ts
function ecosystemHosts(has) {
  return ECOSYSTEMS.filter(({ files }) => files.some(has)).flatMap(({ hosts }) => hosts);
}
function environmentHosts(env, baseUrls) {
  const given = (env[HOSTS_VARIABLE] ?? "").split(/[\s,]+/).filter(Boolean);
  const urls = [...baseUrls].sort().flatMap((name) => hostOfUrl(env[name] ?? ""));
  return [...given.map(checkedHost), ...urls];
}
function checkedHost(host) {
  if (/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$/i.test(host) || /^localhost:\d{1,5}$/.test(host)) {
    return host.toLowerCase();
  }
  throw new RalphError("ALLOW_HOST", `"${host}" is not a host that can be allowed`, {
    hint: "Name a host, its subdomains or one port of it: example.com, *.example.com, localhost:8080.",
    exitCode: 2
  });
}
function hostOfUrl(url) {
  if (!URL.canParse(url)) return [];
  const { hostname: hostname3, port, protocol } = new URL(url);
  if (hostname3 === "" || !/^https?:$/.test(protocol)) return [];
  return [`${hostname3}:${port || (protocol === "https:" ? "443" : "80")}`];
}
var ECOSYSTEMS, HOSTS_VARIABLE;
var init_hosts = __esm({
  "src/runners/sandbox/hosts.ts"() {
    "use strict";
    init_error();
    ECOSYSTEMS = [
      { name: "node", files: ["package.json"], hosts: ["*.npmjs.org", "*.yarnpkg.com"] },
      {
        name: "python",
        files: ["pyproject.toml", "requirements.txt", "setup.py", "Pipfile"],
        hosts: ["pypi.org", "files.pythonhosted.org"]
      },
      { name: "rust", files: ["Cargo.toml"], hosts: ["index.crates.io", "static.crates.io", "crates.io"] },
      { name: "go", files: ["go.mod"], hosts: ["proxy.golang.org", "sum.golang.org"] },
      { name: "ruby", files: ["Gemfile"], hosts: ["rubygems.org", "index.rubygems.org"] },
      { name: "php", files: ["composer.json"], hosts: ["repo.packagist.org", "packagist.org"] },
      {
        name: "java",
        files: ["pom.xml", "build.gradle", "build.gradle.kts"],
        hosts: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"]
      }
    ];
    HOSTS_VARIABLE = "RALPH_ALLOW_HOST";
  }
});

// src/runners/sandbox/trusted-config-paths.ts
function trustedConfigPaths(ofAgents) {
  const all = [...ofAgents, ...OF_EDITORS].sort();
  const isInFolder = (path) => path.includes("/");
  return [...all.filter(isInFolder), ...all.filter((path) => !isInFolder(path))];
}
var OF_EDITORS;
var init_trusted_config_paths = __esm({
  "src/runners/sandbox/trusted-config-paths.ts"() {
    "use strict";
    OF_EDITORS = [".cursor/hooks.json", ".cursor/mcp.json", ".idea", ".vscode"];
  }
});

// src/runners/sandbox/policy.ts
function sandboxPolicy(facts, wish) {
  const {
    workspace,
    home,
    stateRoot: stateRoot2,
    temp,
    caches,
    access,
    git: git2,
    otherWorktrees: otherWorktrees2,
    submodules,
    submoduleEntries,
    env,
    exists
  } = facts;
  const at = (path) => pathFrom(path, workspace, home);
  const own2 = foldersOfAll(access, home, env);
  const allowed = wish.allowWrite.map(at);
  const made = [...own2.writable, caches, temp];
  const writable = unique([...[workspace, ...gitFolders(git2), ...allowed].filter(exists), ...made]);
  const notAllowed = (path) => !allowed.includes(path);
  const standing = [(0, import_node_path20.join)(workspace, ".ralph"), ...standingInGit(git2), ...own2.readOnly].filter(notAllowed);
  const standIns = standing.filter((path) => !exists(path) && isOrWillBe((0, import_node_path20.dirname)(path), facts, made)).map(standIn);
  const denied = wish.denyWrite.map(at);
  const obeyed = [
    ...trustedConfigPaths(access.projectConfig).map((path) => (0, import_node_path20.join)(workspace, path)),
    ...own2.watched,
    ...obeyedByGit(git2),
    ...submodules.flatMap(obeyedIn),
    ...submoduleEntries,
    ...otherWorktrees2
  ];
  const guarded2 = [...standing, ...obeyed.filter(notAllowed), ...denied];
  const isThere = (path) => exists(path) || standIns.some((one) => one.path === path);
  const secretsIn = (folder) => SECRETS.map((path) => (0, import_node_path20.join)(folder, path));
  const unreadable2 = [...secretsIn(home), ...wish.denyRead.map(at)];
  const others = [...SYSTEM_SECRETS, ...facts.otherHomes.flatMap(secretsIn)];
  return {
    workspace,
    writable,
    readOnly: unique(facts.guardsNames ? guarded2 : guarded2.filter(isThere)),
    vacant: facts.guardsNames ? [] : vacantOf(facts, writable, unique(guarded2.filter((path) => !isThere(path)))),
    standIns,
    // What is not there cannot be hidden; the state root is: this loop is in it.
    unreadable: unique([...unreadable2.filter(exists), stateRoot2, ...others.filter(exists)]),
    shown: [],
    hosts: unique([
      ...access.agents.flatMap(({ hosts = [] }) => hosts),
      ...ecosystemHosts((file) => exists((0, import_node_path20.join)(workspace, file))),
      ...environmentHosts(env, access.baseUrls),
      ...wish.allowHosts.map(checkedHost)
    ]),
    env: { ...cacheVariables(caches), ...tempVariables(temp), ...taken(env), IS_SANDBOX: "1" },
    made,
    quiet: own2.quiet,
    temp
  };
}
function foldersOfAll({ agents }, home, env) {
  const each = agents.flatMap(({ state }) => state === void 0 ? [] : [agentFolders(state, home, env)]);
  return {
    writable: each.flatMap(({ writable }) => writable),
    readOnly: each.flatMap(({ readOnly }) => readOnly),
    watched: each.flatMap(({ watched }) => watched),
    quiet: each.flatMap(({ quiet }) => quiet)
  };
}
function withLoopPaths(policy, loopPaths) {
  const { writable, readOnly, shown: shown2, unhidden = [] } = loopPaths;
  return {
    ...policy,
    unreadable: policy.unreadable.filter((path) => !unhidden.some((one) => isUnder(one, path))),
    writable: unique([...policy.writable, ...writable]),
    readOnly: unique([...policy.readOnly, ...readOnly.filter((path) => !policy.writable.includes(path))]),
    shown: unique([...policy.shown, ...writable, ...shown2])
  };
}
function withTemp(policy, temp) {
  const moved2 = (path) => isUnder(path, policy.temp) ? `${temp}${path.slice(policy.temp.length)}` : path;
  return {
    ...policy,
    writable: policy.writable.map(moved2),
    made: policy.made.map(moved2),
    env: Object.fromEntries(
      Object.entries(policy.env).map(([name, value]) => [name, value === null ? null : moved2(value)])
    ),
    temp
  };
}
function withRuntime(policy, runtime) {
  return {
    ...policy,
    unreadable: unique([...policy.unreadable, (0, import_node_path20.dirname)(runtime)]),
    shown: unique([...policy.shown, runtime]),
    runtime
  };
}
function guardedPlace(folders, writable) {
  return folders.find((folder) => writable.every((path) => path === folder || !isUnder(folder, path))) ?? null;
}
function mounted({ writable, unreadable: unreadable2 }) {
  const isOpenWith = (path, other) => path !== other && isUnder(path, other) && (0, import_node_path20.dirname)(path) !== other;
  const isHidden = (path) => unreadable2.some((folder) => isUnder(path, folder));
  return writable.filter((path) => isHidden(path) || !writable.some((other) => isOpenWith(path, other)));
}
function pathFrom(path, workspace, home) {
  if (path === "~" || path.startsWith("~/")) return (0, import_node_path20.join)(home, path.slice(1));
  return (0, import_node_path20.isAbsolute)(path) ? (0, import_node_path20.resolve)(path) : (0, import_node_path20.resolve)(workspace, path);
}
function gitFolders(git2) {
  return git2 === null ? [] : [git2.gitFolder, git2.commonFolder];
}
function obeyedByGit(git2) {
  if (git2 === null) return [];
  const { entry, gitFolder, commonFolder } = git2;
  const isFile2 = entry !== gitFolder;
  return [...isFile2 ? [entry] : [], ...[gitFolder, commonFolder].flatMap(obeyedIn)];
}
function obeyedIn(repository) {
  return ["hooks", "config", "config.worktree", "commondir", "gitdir"].map((name) => (0, import_node_path20.join)(repository, name));
}
function standingInGit(git2) {
  if (git2 === null) return [];
  const { gitFolder, commonFolder } = git2;
  return [(0, import_node_path20.join)(commonFolder, "hooks"), ...unique([commonFolder, gitFolder]).map((at) => (0, import_node_path20.join)(at, "config.worktree"))];
}
function standIn(path) {
  const kind = (0, import_node_path20.extname)(path);
  return { path, content: kind === "" ? null : kind === ".json" ? "{}\n" : "" };
}
function isOrWillBe(folder, { exists }, made) {
  return exists(folder) || made.includes(folder);
}
function vacantOf({ real }, writable, missing2) {
  return unique(missing2.map(real)).filter((path) => writable.some((folder) => isUnder(path, folder)));
}
function cacheVariables(folder) {
  return {
    npm_config_cache: (0, import_node_path20.join)(folder, "npm"),
    YARN_CACHE_FOLDER: (0, import_node_path20.join)(folder, "yarn"),
    PIP_CACHE_DIR: (0, import_node_path20.join)(folder, "pip"),
    UV_CACHE_DIR: (0, import_node_path20.join)(folder, "uv"),
    CARGO_HOME: (0, import_node_path20.join)(folder, "cargo"),
    GOCACHE: (0, import_node_path20.join)(folder, "go-build"),
    GOMODCACHE: (0, import_node_path20.join)(folder, "go-mod")
  };
}
function tempVariables(temp) {
  return { TMPDIR: temp, CLAUDE_CODE_TMPDIR: temp, TMPPREFIX: (0, import_node_path20.join)(temp, "zsh") };
}
function taken(env) {
  return Object.fromEntries(LEADS_TO_KEYS.filter((name) => env[name] !== void 0).map((name) => [name, null]));
}
function isUnder(path, folder) {
  return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
}
function unique(all) {
  return [...new Set(all)];
}
var import_node_path20, SECRETS, SYSTEM_SECRETS, LEADS_TO_KEYS;
var init_policy = __esm({
  "src/runners/sandbox/policy.ts"() {
    "use strict";
    import_node_path20 = require("node:path");
    init_agent_folders();
    init_hosts();
    init_trusted_config_paths();
    SECRETS = [
      // The tasks of `ralph task`, where nobody has put them elsewhere.
      ".run-agent",
      ".ssh",
      ".aws",
      ".azure",
      ".gnupg",
      ".kube",
      ".docker/config.json",
      ".netrc",
      ".npmrc",
      ".pypirc",
      ".git-credentials",
      ".config/git/credentials",
      ".config/gcloud",
      ".config/gh",
      ".config/op",
      ".config/rclone",
      ".cargo/credentials.toml",
      ".gem/credentials",
      ".password-store",
      ".local/share/keyrings",
      ".terraform.d/credentials.tfrc.json",
      ".vault-token",
      ".bash_history",
      ".zsh_history",
      ".mozilla",
      ".config/google-chrome",
      ".config/chromium"
    ];
    SYSTEM_SECRETS = [
      ...["shadow", "shadow-", "gshadow", "gshadow-", "krb5.keytab", "kubernetes"].map((name) => `/etc/${name}`),
      ...["dsa", "ecdsa", "ed25519", "rsa"].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
      // Of a container: what Docker and Kubernetes hand to it.
      "/run/secrets",
      "/var/run/secrets"
    ];
    LEADS_TO_KEYS = [
      "SSH_AUTH_SOCK",
      "SSH_AGENT_PID",
      "GPG_AGENT_INFO",
      "DBUS_SESSION_BUS_ADDRESS",
      "DOCKER_HOST"
    ];
  }
});

// src/runners/sandbox/own-path.ts
function ownPath2(path, policy) {
  return path.split(import_node_path21.delimiter).filter((folder) => (0, import_node_path21.isAbsolute)(folder) && !mayWrite(policy, (0, import_node_path21.resolve)(folder))).join(import_node_path21.delimiter);
}
function pathOutsideOf(workspace, { PATH = "" }) {
  return ownPath2(PATH, { writable: [realOf(workspace)], readOnly: [] });
}
function mayWrite({ writable, readOnly }, path) {
  const real = realOf(path);
  return writable.some((folder) => isUnder(real, folder) || isUnder(path, folder)) && !readOnly.some((folder) => isUnder(real, folder) && isUnder(path, folder));
}
var import_node_path21;
var init_own_path = __esm({
  "src/runners/sandbox/own-path.ts"() {
    "use strict";
    import_node_path21 = require("node:path");
    init_policy();
    init_real_path();
  }
});

// src/runners/sandbox/own-environment.ts
function ownEnvironment(given, policy) {
  const handed = { ...given };
  const env = { ...given, ...takeInside(handed) };
  const outside = {};
  const inside = {};
  for (const name of [...PATHS, ...RUN_AT_START]) {
    const value = env[name];
    if (value === void 0) continue;
    inside[name] = value;
    outside[name] = PATHS.includes(name) ? ownPath2(value, policy) : void 0;
  }
  return { ...outside, ...forInside(inside) };
}
function gitRunsPlanted(env, cwd, policy) {
  for (const name of RUN_BY_GIT) {
    const paths = (env[name] ?? "").split(/[\s"'=]+/).filter((word) => word.includes("/"));
    const planted = paths.find((path) => mayWrite(policy, (0, import_node_path22.resolve)(cwd, path)));
    if (planted !== void 0) return `${name} names ${planted}, which the agent can write`;
  }
  return null;
}
var import_node_path22, PATHS, RUN_AT_START, RUN_BY_GIT;
var init_own_environment = __esm({
  "src/runners/sandbox/own-environment.ts"() {
    "use strict";
    import_node_path22 = require("node:path");
    init_enclosed_names();
    init_own_path();
    PATHS = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];
    RUN_AT_START = ["NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];
    RUN_BY_GIT = ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND"];
  }
});

// src/runners/sandbox/quarantine.ts
function putAside(policy, folder) {
  const roots = mounted(policy);
  return policy.vacant.flatMap((path) => {
    const root = roots.filter((each) => isUnder(path, each)).sort((a, b) => b.length - a.length)[0];
    return root === void 0 ? [] : taken2(root, path, folder);
  });
}
function taken2(root, path, folder) {
  const steps = (0, import_node_path23.relative)(root, path).split("/");
  const held2 = [];
  try {
    for (const [index, name] of steps.entries()) {
      const parent = held2.at(-1) ?? (0, import_node_fs18.openSync)(root, O_RDONLY2 | O_DIRECTORY);
      if (index === 0) held2.push(parent);
      const here = `/proc/self/fd/${parent}/${name}`;
      const stat = (0, import_node_fs18.lstatSync)(here);
      const walked = (0, import_node_path23.join)(root, ...steps.slice(0, index + 1));
      if (walked === path || stat.isSymbolicLink()) return [moved(here, walked, folder)];
      held2.push((0, import_node_fs18.openSync)(here, O_RDONLY2 | O_DIRECTORY | O_NOFOLLOW));
    }
    return [];
  } catch (error) {
    if (PASSING.includes(errnoOf(error) ?? "")) return [];
    throw error;
  } finally {
    for (const fd of held2) (0, import_node_fs18.closeSync)(fd);
  }
}
function moved(here, path, folder) {
  const name = `${(0, import_node_path23.basename)(path)}.${(0, import_node_crypto.randomUUID)()}`;
  let kept2 = (0, import_node_path23.join)(folder, name);
  makeFolders(folder, 448);
  try {
    (0, import_node_fs18.renameSync)(here, kept2);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    kept2 = (0, import_node_path23.join)((0, import_node_path23.dirname)(path), name);
    (0, import_node_fs18.renameSync)(here, (0, import_node_path23.join)((0, import_node_path23.dirname)(here), name));
  }
  return { what: "write", target: path, allow: path, kept: kept2 };
}
var import_node_crypto, import_node_fs18, import_node_path23, O_RDONLY2, O_DIRECTORY, O_NOFOLLOW, PASSING;
var init_quarantine = __esm({
  "src/runners/sandbox/quarantine.ts"() {
    "use strict";
    import_node_crypto = require("node:crypto");
    import_node_fs18 = require("node:fs");
    import_node_path23 = require("node:path");
    init_error();
    init_files();
    init_policy();
    ({ O_RDONLY: O_RDONLY2, O_DIRECTORY, O_NOFOLLOW } = import_node_fs18.constants);
    PASSING = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "EBUSY"];
  }
});

// src/runners/sandbox/repository-watch.ts
function repositoryWatch({ folder, workspace, env }) {
  const began = beganWith((0, import_node_path24.join)(folder, "repository.json"), () => look(workspace, env));
  return () => {
    const now2 = look(workspace, env);
    if (now2.git === null || !(0, import_node_util2.isDeepStrictEqual)(now2.git, began.git)) {
      return "the repository is not the one that the loop began in";
    }
    if (now2.settings !== began.settings) return "git's settings have changed since the loop began";
    return now2.obeyed === began.obeyed ? null : "the repository's hooks or settings have changed since the loop began";
  };
}
function beganWith(file, lookNow) {
  if ((0, import_node_fs19.existsSync)(file)) return JSON.parse((0, import_node_fs19.readFileSync)(file, "utf8"));
  const began = lookNow();
  writeFile(file, JSON.stringify(began), { mode: 384 });
  return began;
}
function look(workspace, env) {
  const git2 = findGit(workspace);
  return git2 === null ? { git: git2, settings: "", obeyed: "" } : { git: git2, settings: settingsOf(workspace, env), obeyed: obeyedIn2(git2) };
}
function obeyedIn2({ entry, gitFolder, commonFolder }) {
  const hooks = (0, import_node_path24.join)(commonFolder, "hooks");
  const names = (0, import_node_fs19.existsSync)(hooks) ? (0, import_node_fs19.readdirSync)(hooks).sort() : [];
  const files = [
    ...entry === gitFolder ? [] : [entry],
    ...[gitFolder, commonFolder].flatMap((folder) => OBEYED.map((name) => (0, import_node_path24.join)(folder, name))),
    ...names.map((name) => (0, import_node_path24.join)(hooks, name))
  ];
  const hash = (0, import_node_crypto2.createHash)("sha256");
  for (const file of files) {
    const digest = (0, import_node_crypto2.createHash)("sha256").update(readPlainBytes(file) ?? "none");
    hash.update(`${file}\0${digest.digest("hex")}\0`);
  }
  return hash.digest("hex");
}
function settingsOf(cwd, env) {
  try {
    const listed = (0, import_node_child_process2.execFileSync)("git", ["config", "--list", "--includes", "-z"], { cwd, env, stdio: "pipe" });
    return (0, import_node_crypto2.createHash)("sha256").update(listed).digest("hex");
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
  }
}
var import_node_child_process2, import_node_crypto2, import_node_fs19, import_node_path24, import_node_util2, OBEYED;
var init_repository_watch = __esm({
  "src/runners/sandbox/repository-watch.ts"() {
    "use strict";
    import_node_child_process2 = require("node:child_process");
    import_node_crypto2 = require("node:crypto");
    import_node_fs19 = require("node:fs");
    import_node_path24 = require("node:path");
    import_node_util2 = require("node:util");
    init_files();
    init_git_place();
    init_plain_file();
    OBEYED = ["config", "config.worktree", "commondir", "gitdir"];
  }
});

// src/runners/os-sandbox.ts
var os_sandbox_exports = {};
__export(os_sandbox_exports, {
  forgetOsSandbox: () => forgetOsSandbox,
  noOsSandbox: () => noOsSandbox,
  openOsSandbox: () => openOsSandbox,
  osSandboxSupport: () => osSandboxSupport
});
function osSandboxSupport(given, cwd) {
  const { platform: platform3 } = process;
  const env = { ...given, PATH: pathOutsideOf(cwd, given) };
  if (platform3 !== "linux" && platform3 !== "darwin") {
    return { works: false, reason: `there is none for ${platform3}`, hint: "Use Linux, WSL2 or macOS." };
  }
  const missing2 = PROGRAMS[platform3].filter((name) => findProgram(name, env.PATH, "/") === null);
  if (missing2.length > 0) {
    return { works: false, reason: `${missing2.join(", ")} not found`, hint: INSTALL[platform3] };
  }
  return platform3 === "linux" ? namespaceSupport(env) : { works: true, sharesProc: false };
}
function openOsSandbox(options) {
  const facts = policyFacts(options);
  const support = osSandboxSupport(options.env, facts.workspace);
  if (!support.works) throw noOsSandbox(support);
  const settled2 = settledPolicy(options, facts);
  const guardedPolicy = guarded(
    options.loopPaths === void 0 ? settled2 : withLoopPaths(settled2, options.loopPaths),
    options.self
  );
  const policy = withRuntime(guardedPolicy, runtimeFolder(guardedPolicy, options.loop));
  const file = keptFile(options.folder);
  const kept2 = { policy, settled: settled2, sharesProc: support.sharesProc };
  writeFile(file, JSON.stringify(kept2), { mode: 384 });
  for (const folder of [facts.temp, (0, import_node_path25.dirname)(policy.runtime), policy.runtime]) makePrivateFolder2(folder);
  try {
    for (const folder of policy.made) makeFolders(folder, 448);
    for (const one of policy.standIns) make(one);
  } catch (error) {
    forgetOsSandbox(options.folder);
    throw error;
  }
  const aside = () => putAside(policy, asideFolder(options.folder));
  aside();
  const outside = ownEnvironment(options.env, policy);
  const repositoryProblem = repositoryWatch({
    ...options,
    env: { ...options.env, ...outside },
    workspace: facts.workspace
  });
  const own2 = Object.fromEntries(Object.entries(policy.env).map(([name, value]) => [name, value ?? void 0]));
  return {
    policy,
    outside,
    env: { ...own2, ...outside },
    enclose: (argv, { refusals, writes = [], ownTerminal = false }) => {
      const ours = ["sandbox-exec", "--policy", file, "--refusals", refusals, "--grace", String(options.grace ?? 0)];
      const terminal = ownTerminal ? ["--own-terminal"] : [];
      return [...options.self, ...ours, ...terminal, ...writes.flatMap((path) => ["--write", path]), "--", ...argv];
    },
    outsideProblem: () => gitRunsPlanted(options.env, facts.workspace, policy) ?? repositoryProblem(),
    mayWrite: (path) => mayWrite(policy, path),
    putAside: aside,
    async sweep() {
      aside();
    },
    close: () => forgetOsSandbox(options.folder)
  };
}
function forgetOsSandbox(folder) {
  const kept2 = readKept(folder);
  if (kept2 === null) return;
  putAside(kept2.policy, asideFolder(folder));
  const { temp, runtime = temp } = kept2.policy;
  for (const own2 of [temp, runtime]) (0, import_node_fs20.rmSync)(own2, { recursive: true, force: true });
}
function make({ path, content }) {
  try {
    if (content === null) (0, import_node_fs20.mkdirSync)(path, { mode: 448 });
    else writeFile(path, content, { flag: "wx", mode: 384 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}
function settledPolicy({ folder, like, wish }, facts) {
  const own2 = readKept(folder);
  if (own2 !== null) return own2.settled;
  if (like === void 0) return sandboxPolicy(facts, wish);
  const others = readKept(like);
  if (others !== null) return withTemp(others.settled, facts.temp);
  throw new RalphError("SANDBOX", `${keptFile(like)} is gone: nobody knows what the sandbox was`, { exitCode: 2 });
}
function keptFile(folder) {
  return (0, import_node_path25.join)(folder, "sandbox.json");
}
function readKept(folder) {
  const file = keptFile(folder);
  if (!(0, import_node_fs20.existsSync)(file)) return null;
  const kept2 = JSON.parse((0, import_node_fs20.readFileSync)(file, "utf8"));
  const none = { vacant: [], standIns: [] };
  return { ...kept2, policy: { ...none, ...kept2.policy }, settled: { ...none, ...kept2.settled } };
}
function guarded(policy, self) {
  const own2 = self.filter((word) => (0, import_node_path25.isAbsolute)(word) && (0, import_node_fs20.existsSync)(word)).map((path) => (0, import_node_path25.join)((0, import_node_fs20.realpathSync)(path), "../..")).filter((folder) => policy.writable.some((path) => folder !== path && isUnder(folder, path)));
  return { ...policy, readOnly: [...policy.readOnly, ...own2] };
}
function noOsSandbox({ reason, hint }) {
  return new RalphError("NO_SANDBOX", `the operating system's sandbox cannot be used: ${reason}`, {
    hint: `${hint}; or run without: --no-sandbox`,
    exitCode: 2
  });
}
function namespaceSupport(env) {
  const isolated = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev"];
  const attempt = (...proc) => (0, import_node_child_process3.spawnSync)("bwrap", [...isolated, ...proc, "--", "true"], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"]
  });
  if (attempt("--proc", "/proc").status === 0) return { works: true, sharesProc: false };
  const second = attempt("--bind", "/proc", "/proc");
  if (second.status === 0) return { works: true, sharesProc: true };
  const reason = second.stderr.trim().split("\n").at(-1) ?? "";
  return {
    works: false,
    reason: `namespaces are not allowed here (${reason})`,
    hint: "Allow unprivileged user namespaces; on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0"
  };
}
function runtimeFolder({ writable }, loop) {
  const name = (0, import_node_path25.join)(`ralph-${process.getuid?.() ?? "own"}`, digestOf(loop).slice(-10));
  const places = [(0, import_node_os4.tmpdir)(), "/tmp", "/var/tmp"].filter((path) => (0, import_node_fs20.existsSync)(path)).map((path) => (0, import_node_fs20.realpathSync)(path));
  const short = places.filter((place2) => (0, import_node_path25.join)(place2, name).length <= LONGEST_RUNTIME_FOLDER);
  const place = guardedPlace(short, writable.map(realOf));
  if (place !== null) return (0, import_node_path25.join)(place, name);
  throw new RalphError(
    "SANDBOX_TEMP",
    "there is no place for the files of the sandbox: its programs may write in all",
    {
      hint: `Allow less than everything in which ${places.join(", ")} lie, or set TMPDIR to another folder.`,
      exitCode: 2
    }
  );
}
function makePrivateFolder2(path) {
  makeFolders(path, 448);
  const stat = (0, import_node_fs20.lstatSync)(path);
  const isOurs = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 63) === 0;
  if (isOurs) return;
  throw new RalphError("SANDBOX_TEMP", `${path} is not a folder of yours alone`, { hint: `Remove it.`, exitCode: 2 });
}
var import_node_child_process3, import_node_fs20, import_node_os4, import_node_path25, PROGRAMS, INSTALL, LONGEST_RUNTIME_FOLDER;
var init_os_sandbox = __esm({
  "src/runners/os-sandbox.ts"() {
    "use strict";
    import_node_child_process3 = require("node:child_process");
    import_node_fs20 = require("node:fs");
    import_node_os4 = require("node:os");
    import_node_path25 = require("node:path");
    init_error();
    init_digest();
    init_files();
    init_which();
    init_enclosed_names();
    init_facts();
    init_own_environment();
    init_own_path();
    init_policy();
    init_quarantine();
    init_real_path();
    init_repository_watch();
    PROGRAMS = { linux: ["bwrap", "socat", "rg"], darwin: ["sandbox-exec", "rg"] };
    INSTALL = {
      linux: "Install them, on Debian with: apt-get install bubblewrap socat ripgrep",
      darwin: "Install ripgrep: brew install ripgrep"
    };
    LONGEST_RUNTIME_FOLDER = process.platform === "linux" ? 107 - "/claude-http-0123456789abcdef.sock".length : 80;
  }
});

// src/engine/orphans.ts
async function endOrphans(root, { cwd, loopKind, except }, grace) {
  const others = listLoops(root).filter(
    (loop) => loop.cwd === cwd && (loopKind === void 0 || loop.loopKind === loopKind) && loop.ending === null && loop.id !== except
  );
  for (const { id } of others) {
    const folder = loopFolder(root, id);
    const trace = readLastTrace(runsFolder(folder));
    if (trace !== null) await endRun(trace, grace);
    const { forgetOsSandbox: forgetOsSandbox2 } = await Promise.resolve().then(() => (init_os_sandbox(), os_sandbox_exports));
    forgetOsSandbox2(folder);
  }
}
var init_orphans = __esm({
  "src/engine/orphans.ts"() {
    "use strict";
    init_end();
    init_trace();
    init_paths();
    init_registry();
    init_run_files();
  }
});

// src/engine/end-unfinished.ts
async function endUnfinished(machine2, { id, cwd }, home, reason, { at, grace }) {
  const loop = reopenLoop(machine2, id, cwd, home, () => void 0);
  try {
    await endOrphans(home.root, { cwd, loopKind: loop.state.loopKind, except: "" }, grace);
    const ending = { kind: "stopped", reason };
    const record = nextRecord(loop.state, { key: "end", result: { kind: "ended", ending }, at, resumedAt: at });
    const ended = machine2.apply(loop.state, record);
    loop.journal.append(record);
    loop.journal.syncNow();
    writeStatus(loop.folder, statusOf(ended, loop.createdAt));
  } finally {
    loop.close();
  }
}
var init_end_unfinished = __esm({
  "src/engine/end-unfinished.ts"() {
    "use strict";
    init_record();
    init_status();
    init_loop();
    init_orphans();
  }
});

// src/loops/stories/list/json.ts
function isFields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isStrings(value) {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
function parsedJson(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}
var init_json = __esm({
  "src/loops/stories/list/json.ts"() {
    "use strict";
  }
});

// src/loops/stories/list/json-fault.ts
function faultIn2(text2) {
  const open = [];
  let wanted = "value";
  let at = 0;
  for (; ; ) {
    at = after(SPACE, text2, at) ?? at;
    const next2 = text2[at] ?? "nothing";
    const isClosing = wanted === "more" ? next2 === open.at(-1) : wanted.endsWith(` ${next2}`);
    if (wanted === "more" && open.length === 0) return next2 === "nothing" ? null : placeOf(text2, at);
    if (isClosing) {
      open.pop();
      at++;
      wanted = "more";
    } else if (wanted === "more" && next2 === ",") {
      at++;
      wanted = open.at(-1) === "}" ? "key" : "value";
    } else if (wanted === ":" && next2 === ":") {
      at++;
      wanted = "value";
    } else if (wanted.startsWith("value") && (next2 === "{" || next2 === "[")) {
      open.push(next2 === "{" ? "}" : "]");
      at++;
      wanted = next2 === "{" ? "key or }" : "value or ]";
    } else if (wanted.startsWith("value") && next2 !== '"') {
      const end3 = after(PLAIN, text2, at);
      if (end3 === null) return placeOf(text2, at);
      at = end3;
      wanted = "more";
    } else if (next2 === '"' && wanted !== "more" && wanted !== ":") {
      const { end: end3, isWhole } = stringFrom(text2, at);
      if (!isWhole) return placeOf(text2, end3);
      at = end3;
      wanted = wanted.startsWith("key") ? ":" : "more";
    } else return placeOf(text2, at);
  }
}
function after(pattern, text2, at) {
  pattern.lastIndex = at;
  return pattern.test(text2) ? pattern.lastIndex : null;
}
function stringFrom(text2, start) {
  let at = start + 1;
  while (at < text2.length) {
    const unit = text2[at];
    if (unit === '"') return { end: at + 1, isWhole: true };
    const end3 = unit === "\\" ? after(ESCAPE, text2, at) : at + 1;
    if (end3 === null || text2.charCodeAt(at) < FIRST_PRINTABLE) break;
    at = end3;
  }
  return { end: at, isWhole: false };
}
function placeOf(text2, at) {
  const before = text2.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
var SPACE, PLAIN, ESCAPE, FIRST_PRINTABLE;
var init_json_fault = __esm({
  "src/loops/stories/list/json-fault.ts"() {
    "use strict";
    SPACE = /[ \t\n\r]*/y;
    PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
    FIRST_PRINTABLE = 32;
  }
});

// src/loops/stories/list/wording.ts
function cut(text2) {
  return text2.length <= LONGEST ? text2 : `${text2.slice(0, LONGEST)}…`;
}
function quoted(value) {
  if (typeof value === "string") return `'${cut(value)}'`;
  return value === void 0 ? "nothing" : cut(JSON.stringify(value));
}
function changed(field, before, after2) {
  return `${field} ${quoted(before)} → ${quoted(after2)}`;
}
var LONGEST;
var init_wording = __esm({
  "src/loops/stories/list/wording.ts"() {
    "use strict";
    LONGEST = 80;
  }
});

// src/loops/stories/list/tasks.ts
function readTasks(text2, shownPath = "ralph/tasks.json") {
  const value = text2 === null ? void 0 : parsedJson(text2);
  if (value === void 0) return { isValid: false, problems: [`Cannot read or parse ${shownPath}${whereIn(text2)}`] };
  const problems = isFields(value) ? problemsOfFile(value) : ["tasks.json must be an object"];
  const tasks = value;
  if (problems.length === 0) return { isValid: true, tasks };
  const isForgotten = problems.every((problem) => problem.endsWith(UNDOCUMENTED));
  return { isValid: false, problems, ...isForgotten ? { undocumented: tasks } : {} };
}
function whereIn(text2) {
  const fault = text2 === null ? null : faultIn2(text2);
  return fault === null ? "" : ` (line ${fault.line}, column ${fault.column})`;
}
function problemsOfFile(file) {
  const problems = [];
  for (const field of ["project", "branchName", "description", "userStories"]) {
    if (!Object.hasOwn(file, field)) problems.push(`tasks.json missing required top-level field: '${field}'`);
    else if (field !== "userStories" && typeof file[field] !== "string")
      problems.push(`tasks.json '${field}' must be a string`);
  }
  if (Object.hasOwn(file, "verifyCommands") && !isStrings(file.verifyCommands))
    problems.push("tasks.json 'verifyCommands' must be an array of strings");
  const stories = file.userStories;
  if (Array.isArray(stories)) problems.push(...stories.flatMap(problemsOfStory), ...duplicateIds(stories));
  else if (Object.hasOwn(file, "userStories")) problems.push("tasks.json 'userStories' must be an array");
  return problems;
}
function problemsOfStory(story, index) {
  if (!isFields(story)) return [`Story at position ${index + 1}: must be an object`];
  const name = typeof story.id === "string" && story.id !== "" ? cut(story.id) : `at position ${index + 1}`;
  const wrong = (what) => `Story ${name}: ${what}`;
  const shape = [
    ...Object.entries(REQUIRED).flatMap(([field, kind]) => {
      if (!Object.hasOwn(story, field)) return [`missing required field '${field}'`];
      return kind === "any" ? [] : wrongType(story, field, kind);
    }),
    ...Object.entries(OPTIONAL).flatMap(
      ([field, kind]) => Object.hasOwn(story, field) ? wrongType(story, field, kind) : []
    )
  ];
  return [...shape, ...wrongValues(story)].map(wrong);
}
function wrongType(story, field, kind) {
  if (is(story[field], kind)) return [];
  return [`field '${field}' has wrong type (expected ${kind === "strings" ? "array of strings" : kind})`];
}
function wrongValues({ id, acceptanceCriteria, reviewStatus, reviewCount, passes, notes }) {
  const problems = [];
  if (id === "") problems.push("'id' must not be empty");
  if (typeof id === "string" && !ASCII.test(id) && UNREADABLE.test(id))
    problems.push("'id' must not contain control or invisible characters");
  if (Array.isArray(acceptanceCriteria) && acceptanceCriteria.length === 0)
    problems.push("'acceptanceCriteria' must not be empty");
  if (reviewStatus !== void 0 && reviewStatus !== null && !REVIEW_STATUSES.some((one) => one === reviewStatus))
    problems.push(
      `'reviewStatus' is ${quoted(reviewStatus)}, must be null or one of: needs_review, changes_requested, approved`
    );
  if (typeof reviewCount === "number" && reviewCount < 0)
    problems.push(`'reviewCount' must be non-negative (got ${reviewCount})`);
  else if (typeof reviewCount === "number" && !Number.isSafeInteger(reviewCount))
    problems.push(`'reviewCount' must be an integer (got ${reviewCount})`);
  if (passes === true && (typeof notes !== "string" || notes.trim() === "")) problems.push(UNDOCUMENTED);
  return problems;
}
function duplicateIds(stories) {
  const ids = stories.map((story) => isFields(story) ? story.id : void 0).filter((id) => typeof id === "string");
  const looks = ids.map(looksLike);
  const twice = new Set(ids.filter((_id, index) => looks.indexOf(looks[index] ?? "") !== index));
  return [...twice].map((id) => `Duplicate story ID: ${quoted(id)}`);
}
function looksLike(id) {
  return ASCII.test(id) ? id : id.normalize("NFKC").replaceAll(new RegExp("\\p{Pd}", "gu"), "-");
}
function is(value, kind) {
  return kind === "strings" ? isStrings(value) : typeof value === kind;
}
var REVIEW_STATUSES, UNDOCUMENTED, ASCII, UNREADABLE, REQUIRED, OPTIONAL;
var init_tasks = __esm({
  "src/loops/stories/list/tasks.ts"() {
    "use strict";
    init_json();
    init_json_fault();
    init_wording();
    REVIEW_STATUSES = ["needs_review", "changes_requested", "approved"];
    UNDOCUMENTED = "has passes=true but empty 'notes' — document what was done";
    ASCII = /^[!-~]*$/;
    UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
    REQUIRED = {
      id: "string",
      title: "string",
      passes: "boolean",
      priority: "number",
      acceptanceCriteria: "strings",
      reviewStatus: "any",
      reviewCount: "number",
      reviewFeedback: "string"
    };
    OPTIONAL = { description: "string", notes: "string", dependsOn: "strings" };
  }
});

// src/loops/stories/list/active-marker.ts
function markerText(marker) {
  const { maxIterations, timestamp, pid, mode, skipReview, reviewCap, ...rest } = marker;
  const seed = { timestamp, pid, max_iterations: maxIterations, mode, skipReview, reviewCap };
  return `${JSON.stringify({ ...seed, ..."paused" in rest ? rest : iterationFields(rest) }, null, 2)}
`;
}
function iterationFields({ iterationMode, preIterationSnapshot, ...ours }) {
  return { iterationMode, preIterationSnapshot: Object.fromEntries(preIterationSnapshot ?? []), ...ours };
}
function readMarker(text2) {
  const value = parsedJson(text2);
  const marker = isFields(value) ? value : {};
  const { pid, skipReview, reviewCap, story, ralphDir } = marker;
  return {
    pid: isCount(pid) ? pid : null,
    process: processOf(marker.process),
    isSandboxed: marker.mode === "sandbox",
    isPaused: marker.paused === true,
    skipReview: skipReview === true,
    reviewCap: isCount(reviewCap) && reviewCap > 0 ? reviewCap : DEFAULT_REVIEW_CAP,
    iterationMode: MODES.find((mode) => mode === marker.iterationMode) ?? null,
    story: typeof story === "string" ? story : null,
    ralphDir: typeof ralphDir === "string" && ralphDir !== "" ? ralphDir : "ralph",
    preIterationSnapshot: snapshotFrom(marker.preIterationSnapshot),
    frozen: frozenFrom(marker.verifyCommands),
    isBroken: !isFields(value)
  };
}
function isLeftBehind({ pid, process: owner, isSandboxed: isSandboxed2 }, here, isRunning2) {
  if (pid === null || owner === null || isSandboxed2) return false;
  if (owner.boot !== here.boot) return true;
  return owner.pidNamespace === here.pidNamespace && !isRunning2({ pid, startTime: owner.startTime, boot: owner.boot });
}
function processOf(value) {
  if (!isFields(value)) return null;
  const { startTime, boot, pidNamespace } = value;
  if (typeof startTime !== "string" || typeof boot !== "string" || typeof pidNamespace !== "string") return null;
  return { startTime, boot, pidNamespace };
}
function snapshotFrom(value) {
  if (!isFields(value)) return null;
  const stories = /* @__PURE__ */ new Map();
  for (const [id, story] of Object.entries(value)) {
    const before = storyFrom(story);
    if (before === null) return null;
    stories.set(id, before);
  }
  return stories;
}
function frozenFrom(commands) {
  if (commands === null) return {};
  return isStrings(commands) ? { verifyCommands: commands } : null;
}
function storyFrom(value) {
  if (!isFields(value)) return null;
  const { passes, reviewStatus, reviewCount, reviewFeedback, title, description, acceptanceCriteria, dependsOn } = value;
  if (typeof passes !== "boolean" || !isReviewStatus(reviewStatus) || !isCount(reviewCount)) return null;
  return {
    passes,
    reviewStatus,
    reviewCount,
    ...typeof reviewFeedback === "string" ? { reviewFeedback } : {},
    ...typeof title === "string" ? { title } : {},
    ...typeof description === "string" ? { description } : {},
    ...isStrings(acceptanceCriteria) ? { acceptanceCriteria } : {},
    ...isStrings(dependsOn) ? { dependsOn } : {}
  };
}
function isReviewStatus(value) {
  return value === null || REVIEW_STATUSES.some((status) => status === value);
}
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
var MARKER_NAME, DEFAULT_REVIEW_CAP, MODES;
var init_active_marker = __esm({
  "src/loops/stories/list/active-marker.ts"() {
    "use strict";
    init_json();
    init_tasks();
    MARKER_NAME = ".ralph-active";
    DEFAULT_REVIEW_CAP = 5;
    MODES = ["implement", "review", "review-fix"];
  }
});

// src/loops/stories/request.ts
function storiesRequest(given) {
  const request = { ...STORIES_DEFAULTS, ...given };
  refuseBelowOne("--max-iterations", request.maxIterations);
  refuseBelowOne("--review-cap", request.reviewCap);
  if (request.stuckAfter != null) refuseBelowOne("--stuck-after", request.stuckAfter);
  return request;
}
function sandboxOf({ sandbox: sandbox2 }) {
  const kind = sandbox2?.kind;
  return kind === "os" || kind === "docker" ? kind : "none";
}
function isSandboxed(request) {
  return sandboxOf(request) !== "none";
}
function refuseBelowOne(option, value) {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RalphError("STORIES_OPTION", `${option} must be a positive integer, got ${value}`, { exitCode: 2 });
}
var DEFAULT_VERIFY_TIMEOUT, STORIES_DEFAULTS;
var init_request2 = __esm({
  "src/loops/stories/request.ts"() {
    "use strict";
    init_agents();
    init_error();
    init_active_marker();
    DEFAULT_VERIFY_TIMEOUT = 30 * 6e4;
    STORIES_DEFAULTS = {
      ralphDir: "ralph",
      maxIterations: 15,
      agent: DEFAULT_AGENT,
      model: null,
      reviewAgent: null,
      reviewModel: null,
      skipReview: false,
      reviewCap: DEFAULT_REVIEW_CAP,
      backoffUnitMs: 1e3,
      stuckAfter: null,
      verify: true,
      verifyTimeoutMs: DEFAULT_VERIFY_TIMEOUT,
      answer: null,
      sandbox: null
    };
  }
});

// src/loops/stories/agent.ts
function agentFor(request, mode, pluginDir) {
  const isReview = mode === "review";
  const command = (isReview ? request.reviewAgent : null) ?? request.agent;
  const usual = command === request.agent ? request.model : null;
  const model = (isReview ? request.reviewModel : null) ?? usual;
  const flags = [
    ...profileFor(command).autonomy ?? [],
    ...loadsPlugin(command) && pluginDir !== null ? ["--plugin-dir", pluginDir] : [],
    ...sandboxOf(request) === "docker" ? ["--settings", INSIDE_DOCKER] : [],
    ...model === null ? [] : ["--model", model]
  ];
  return { command, flags, mode: "stream" };
}
function loadsPlugin(command) {
  return profileFor(command).loadsPlugin === true;
}
function needsPlugin(request) {
  return agentsOf(request).some(loadsPlugin);
}
function agentsOf({ agent: agent2, reviewAgent, skipReview }) {
  return skipReview || reviewAgent === null || reviewAgent === agent2 ? [agent2] : [agent2, reviewAgent];
}
var STOP_HOOK_BLOCKS, INSIDE_DOCKER;
var init_agent = __esm({
  "src/loops/stories/agent.ts"() {
    "use strict";
    init_agents();
    init_request2();
    STOP_HOOK_BLOCKS = { variable: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", count: "30" };
    INSIDE_DOCKER = JSON.stringify({ env: { [STOP_HOOK_BLOCKS.variable]: STOP_HOOK_BLOCKS.count } });
  }
});

// src/loops/stories/list/criteria.ts
function movedCriteria(before, after2, isNew) {
  const arrived = counted(
    after2.userStories.flatMap(({ id, acceptanceCriteria }) => isNew(id) ? acceptanceCriteria : [])
  );
  const problems = [];
  const split = /* @__PURE__ */ new Set();
  for (const { id, acceptanceCriteria: is2 } of after2.userStories) {
    const was = before.get(id)?.acceptanceCriteria;
    if (was === void 0) continue;
    const gone = missingFrom(counted(is2), was);
    const lost = missingFrom(arrived, gone);
    if (lost.length < gone.length) split.add(id);
    problems.push(
      ...lost.map(
        (criterion) => `Story ${cut(id)} lost its acceptance criterion ${quoted(criterion)}. Criteria may be added, and move to a story that this iteration adds, never be struck out or reworded: put it back word for word. Illegal transition: ${changed("acceptanceCriteria", was, is2)}.`
      )
    );
  }
  return { problems, split };
}
function counted(texts) {
  const counts = /* @__PURE__ */ new Map();
  for (const text2 of texts) counts.set(text2, (counts.get(text2) ?? 0) + 1);
  return counts;
}
function missingFrom(there, wanted) {
  return wanted.filter((text2) => {
    const left = there.get(text2) ?? 0;
    there.set(text2, left - 1);
    return left <= 0;
  });
}
var init_criteria = __esm({
  "src/loops/stories/list/criteria.ts"() {
    "use strict";
    init_wording();
  }
});

// src/loops/stories/list/allowed-changes.ts
function judgeTransitions(before, after2, judging) {
  const pairs = after2.userStories.flatMap((is2) => {
    const was = before.get(is2.id);
    return was === void 0 ? [] : [{ was, is: is2, changes: changesOf(was, is2) }];
  });
  const touched = pairs.filter(({ changes }) => changes.length > 0);
  const added = after2.userStories.filter(({ id }) => !before.has(id));
  const open = new Map([...before].filter(([, { reviewStatus }]) => reviewStatus === null));
  const { problems: lost, split } = judging.mode === "implement" ? movedCriteria(open, after2, (id) => !before.has(id)) : { problems: [], split: /* @__PURE__ */ new Set() };
  const always = [
    ...added.flatMap(problemsOfNew),
    ...lost,
    ...pairs.flatMap((pair) => rewritten(pair, judging.mode, split)),
    ...pairs.flatMap((pair) => strayFeedback(pair, judging.mode))
  ];
  const only = (problems) => ({ problems, noVerdict: null, atCap: null });
  switch (judging.mode) {
    case "implement":
      return only([...implementProblems(touched), ...always]);
    case "review-fix":
      return only([...fixProblems(touched), ...always]);
    case "review":
      return reviewed(touched, judging, always);
  }
}
function changesOf(was, is2) {
  const isRepaired = was.passes && !is2.passes && was.reviewStatus !== "approved";
  return REVIEW_FIELDS.filter((field) => was[field] !== is2[field] && !(field === "passes" && isRepaired));
}
function implementProblems(touched) {
  const submitted = touched.filter(isSubmission);
  const illegal2 = touched.flatMap(
    (pair) => pair.changes.filter((field) => field !== "reviewStatus" || !submitted.includes(pair)).map(
      (field) => `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story ${cut(pair.is.id)} had illegal transition: ${changed(field, pair.was[field], pair.is[field])}.`
    )
  );
  if (submitted.length <= 1) return illegal2;
  return [
    ...illegal2,
    `Implement iterations may submit at most one story for review. Found ${submitted.length} stories transitioning reviewStatus null → 'needs_review' (${idsOf(submitted)}).`
  ];
}
function isSubmission({ was, is: is2 }) {
  return was.reviewStatus === null && is2.reviewStatus === "needs_review";
}
function fixProblems(touched) {
  const again = touched.filter(
    ({ was, is: is2 }) => was.reviewStatus === "changes_requested" && is2.reviewStatus === "needs_review"
  );
  const illegal2 = touched.flatMap(
    ({ was, is: is2, changes }) => changes.flatMap((field) => {
      if (field === "reviewStatus" && again.some((pair) => pair.is === is2)) return [];
      const transition2 = changed(field, was[field], is2[field]);
      if (was.reviewStatus !== "changes_requested")
        return [
          `Review-fix iterations may only re-submit a story that a review sent back (reviewStatus='changes_requested'). Story ${cut(is2.id)} had illegal transition: ${transition2}.`
        ];
      return [
        `Review-fix iterations cannot approve stories. Story ${cut(is2.id)} must go back to needs_review for re-review. Illegal transition: ${transition2}.`
      ];
    })
  );
  const uncleared = again.filter(({ is: is2 }) => is2.reviewFeedback.trim() !== "").map(
    ({ was, is: is2 }) => `Review-fix iterations must clear reviewFeedback when they re-submit. Story ${cut(is2.id)} had illegal transition: ${changed("reviewFeedback", was.reviewFeedback, is2.reviewFeedback)}.`
  );
  const several = again.length > 1 ? [
    `Review-fix iterations may re-submit at most one story. Found ${again.length} stories transitioning reviewStatus 'changes_requested' → 'needs_review' (${idsOf(again)}).`
  ] : [];
  return [...illegal2, ...uncleared, ...several];
}
function reviewed(touched, judging, always) {
  const [pair, ...others] = touched;
  if (pair === void 0) {
    const story = judging.story === null ? "" : ` on story ${cut(judging.story)}`;
    const reason = `Review iteration ended without a verdict${story}: reviewCount must increment by exactly 1, and reviewStatus must change from 'needs_review' to 'approved' (with passes=true) or 'changes_requested' (with reviewFeedback).`;
    return { problems: always, noVerdict: always.length === 0 ? reason : null, atCap: null };
  }
  if (others.length > 0) {
    const several = `Review iteration made illegal transition: modified review fields on multiple stories (${idsOf(touched)}). Review may only modify one story per iteration. Illegal transitions: ${touched.map(transitionsOf).join("; ")}.`;
    return { problems: [several, ...always], noVerdict: null, atCap: null };
  }
  const illegal2 = (details) => `Review iteration made illegal transition on story ${cut(pair.is.id)}: ${details}.`;
  const problems = [...verdictProblems(pair, judging).map(illegal2), ...always];
  return { problems, noVerdict: null, atCap: problems.length === 0 ? wrongAtCap(pair, judging, illegal2) : null };
}
function wrongAtCap(pair, judging, illegal2) {
  const { is: is2 } = pair;
  if (!isLastReview(reviewsOf(pair, judging), judging.reviewCap)) return null;
  const which = `this was review ${is2.reviewCount} and the review cap is ${judging.reviewCap}`;
  if (is2.reviewStatus === "changes_requested") {
    const details2 = `reviewStatus 'needs_review' → 'changes_requested', but ${which}. Approve it (reviewStatus='approved', passes=true) and keep the remaining concerns in reviewFeedback, prefixed with ${CAP_PREFIX}`;
    return { story: is2.id, wasApproved: false, reason: illegal2(details2) };
  }
  if (is2.reviewFeedback.trim() === "" || is2.reviewFeedback.startsWith(CAP_PREFIX)) return null;
  const details = `it is approved with reviewFeedback ${quoted(is2.reviewFeedback)}, and ${which}. Keep what is left to say, and prefix it with ${CAP_PREFIX}`;
  return { story: is2.id, wasApproved: true, reason: illegal2(details) };
}
function reviewsOf({ was, is: is2 }, { reviews }) {
  return reviews?.get(is2.id) ?? was.reviewCount;
}
function verdictProblems(pair, judging) {
  const { was, is: is2 } = pair;
  const details = [];
  if (was.reviewStatus !== "needs_review")
    details.push(
      `only a story with reviewStatus='needs_review' may be reviewed, and it was never submitted (${changed("reviewStatus", was.reviewStatus, is2.reviewStatus)})`
    );
  if (is2.reviewCount !== was.reviewCount + 1)
    details.push(`reviewCount must increment by exactly 1 (was ${was.reviewCount}, now ${is2.reviewCount})`);
  if (is2.reviewStatus === "approved") {
    if (!is2.passes) details.push("set reviewStatus='approved' but passes is still false");
    if (is2.reviewFeedback.startsWith(CAP_PREFIX) && !isLastReview(reviewsOf(pair, judging), judging.reviewCap))
      details.push(
        `reviewFeedback says ${CAP_PREFIX}, but this was review ${is2.reviewCount} and the review cap is ${judging.reviewCap}`
      );
  } else if (is2.reviewStatus === "changes_requested") {
    if (is2.passes) details.push(`set reviewStatus='changes_requested' but ${changed("passes", was.passes, is2.passes)}`);
    if (is2.reviewFeedback.trim() === "")
      details.push("set reviewStatus='changes_requested' but reviewFeedback is empty");
  } else {
    details.push(
      `reviewStatus changed to ${quoted(is2.reviewStatus)} — must be 'approved' or 'changes_requested' after a review (was ${quoted(was.reviewStatus)})`
    );
  }
  return details;
}
function isLastReview(reviews, reviewCap) {
  return reviews + 1 >= reviewCap;
}
function problemsOfNew({ id, passes, reviewStatus, reviewCount }) {
  const must2 = (field, wanted, got) => got === wanted ? [] : [`New story ${cut(id)} must start with ${field}=${quoted(wanted)} (got ${field}=${quoted(got)}).`];
  return [
    ...must2("passes", false, passes),
    ...must2("reviewStatus", null, reviewStatus),
    ...must2("reviewCount", 0, reviewCount)
  ];
}
function rewritten(pair, mode, split) {
  const { was, is: is2 } = pair;
  return frozenWords(pair, mode, split).filter((field) => was.title !== void 0 && JSON.stringify(was[field]) !== JSON.stringify(is2[field])).map((field) => `${whyFrozen(pair, mode)} Illegal transition: ${changed(field, was[field], is2[field])}.`);
}
function frozenWords({ was, is: is2 }, mode, split) {
  if (mode !== "implement" || was.reviewStatus !== null) return ["title", "description", "acceptanceCriteria"];
  return is2.reviewStatus === null || split.has(is2.id) ? [] : ["title", "description"];
}
function whyFrozen({ was, is: is2 }, mode) {
  const story = `Story ${cut(is2.id)}`;
  return was.reviewStatus === null && is2.reviewStatus === null ? `${story} is not this iteration's: ${mode === "review" ? "a review" : "a review-fix"} may add stories, and rewrites none.` : `${story} is submitted and is judged as it was written.`;
}
function strayFeedback({ was, is: is2, changes }, mode) {
  if (was.reviewFeedback === void 0 || was.reviewFeedback === is2.reviewFeedback) return [];
  if (mode !== "implement" && changes.includes("reviewStatus")) return [];
  return [
    `${mode === "review" ? "Only the story under review" : "Only a review"} may get new reviewFeedback. Story ${cut(is2.id)} had illegal transition: ${changed("reviewFeedback", was.reviewFeedback, is2.reviewFeedback)}.`
  ];
}
function transitionsOf({ was, is: is2, changes }) {
  return `${cut(is2.id)} ${changes.map((field) => changed(field, was[field], is2[field])).join(", ")}`;
}
function idsOf(pairs) {
  return pairs.map(({ is: is2 }) => cut(is2.id)).join(", ");
}
var CAP_PREFIX, REVIEW_FIELDS;
var init_allowed_changes = __esm({
  "src/loops/stories/list/allowed-changes.ts"() {
    "use strict";
    init_criteria();
    init_wording();
    CAP_PREFIX = "[AUTO-APPROVED AT CAP]";
    REVIEW_FIELDS = ["passes", "reviewStatus", "reviewCount"];
  }
});

// src/loops/stories/prompt.ts
function storiesPrompt(parts) {
  const { note, answer } = parts;
  const notes = note === null ? [] : ["", "The last iteration did not count:", "", quoted2(note)];
  const answers = answer === null ? [] : ["", "A person has answered the loop's question:", "", quoted2(answer)];
  return [withNumbers(parts).trimEnd(), "", "## This iteration", "", assignment(parts), ...notes, ...answers, ""].join(
    "\n"
  );
}
function withNumbers({ text: text2, iteration, maxIterations }) {
  const forms = /\$RALPH_(ITERATION|MAX_ITERATIONS)(?![A-Za-z0-9_])|\{\{RALPH_(ITERATION|MAX_ITERATIONS)\}\}/g;
  return text2.replaceAll(
    forms,
    (_all, plain2, braced) => String((plain2 ?? braced) === "ITERATION" ? iteration : maxIterations)
  );
}
function assignment({ mode, story, ralphDir, skipReview, reviewCap, verifies }) {
  const folder = ralphDir === "ralph" ? "" : `
- Folder: \`${ralphDir}/\`; read it wherever a file of \`ralph/\` is meant.`;
  const what = `- Mode: ${mode}
- Story: ${story.id} (${story.title.split(/\s+/).join(" ")})${folder}`;
  if (skipReview) return `${what}
- There are no reviews (\`skipReview\`).`;
  if (mode !== "review") return what;
  const review = story.reviewCount + 1;
  const last = review >= reviewCap ? `: the last one, so approve it; what is left to say goes into reviewFeedback, prefixed with \`${CAP_PREFIX}\`` : "";
  const verify = verifies ? "\n- If you approve it, the loop runs `verifyCommands` itself: if one fails, the approval does not count." : "";
  return `${what}
- This is review ${review} of at most ${reviewCap}${last}.${verify}`;
}
function quoted2(text2) {
  return text2.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n");
}
var init_prompt = __esm({
  "src/loops/stories/prompt.ts"() {
    "use strict";
    init_allowed_changes();
  }
});

// src/loops/stories/story-state.ts
function withoutCommit(iterations) {
  return `${iterations} ${iterations === 1 ? "iteration" : "iterations in a row"} without a commit`;
}
function iterationsWithRun(state) {
  const { phase, iteration, tries, data } = state;
  const endedBy2 = phase.at === "end" || phase.at === "over" ? phase.ending.kind : null;
  const isByInputs = endedBy2 === "stuck" || endedBy2 === "blocked" || endedBy2 === "configuration" || endedBy2 === "done";
  const isBeforeRun = isByInputs && data.ranIn < iteration && (tries.work ?? 1) === 1;
  return isBeforeRun ? iteration - 1 : startedIterations(state);
}
function reviewsOf2({ reviews }, { id, reviewCount }) {
  return Object.hasOwn(reviews, id) ? reviews[id] ?? 0 : reviewCount;
}
function inputsOf({ inputs }) {
  if (inputs === null) throw new Error("the rules were asked before the inputs were read");
  return inputs;
}
function judgedOf({ judged }) {
  if (judged === null) throw new Error("nothing has been judged");
  return judged;
}
function isComplete(judged) {
  const verdict = judged?.verdict;
  return (verdict?.kind === "legal" || verdict?.kind === "at-cap") && verdict.isComplete;
}
function nowRunning({ running }) {
  if (running === null) throw new Error("no iteration has begun");
  return running;
}
var STUCK_WARNING, MOST_TAMPERED, MOST_EMPTY, EMPTY_REPLIES;
var init_story_state = __esm({
  "src/loops/stories/story-state.ts"() {
    "use strict";
    init_state();
    STUCK_WARNING = 3;
    MOST_TAMPERED = 3;
    MOST_EMPTY = 3;
    EMPTY_REPLIES = `${MOST_EMPTY} consecutive empty responses`;
  }
});

// src/loops/stories/list/promise.ts
function promisedIn(tag) {
  const text2 = tag?.trim() ?? "";
  if (text2 === "COMPLETE") return { kind: "complete" };
  const [, word, reason = ""] = /^(BLOCKED|DECIDE):(.*)$/s.exec(text2) ?? [];
  if (word !== "BLOCKED" && word !== "DECIDE" || reason.trim() === "") return null;
  return { kind: WORDS[word], reason: reason.trim() };
}
var WORDS;
var init_promise = __esm({
  "src/loops/stories/list/promise.ts"() {
    "use strict";
    WORDS = { BLOCKED: "blocked", DECIDE: "decision" };
  }
});

// src/stream/printable.ts
var printable_exports = {};
__export(printable_exports, {
  printable: () => printable
});
function printable(text2) {
  return CONTROL.test(text2) ? (0, import_node_util3.stripVTControlCharacters)(text2).replaceAll(EACH_CONTROL, "") : text2;
}
var import_node_util3, CONTROL, EACH_CONTROL;
var init_printable = __esm({
  "src/stream/printable.ts"() {
    "use strict";
    import_node_util3 = require("node:util");
    CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
    EACH_CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
  }
});

// src/loops/stories/verify-rules.ts
function commandsOf({ request, inputs }) {
  return request.verify === false ? [] : inputs?.verifyCommands ?? [];
}
function verifyFirst(data, stories) {
  const commands = commandsOf(data);
  if (commands.length === 0) return null;
  const index = stories.length === 0 ? commands.length : 0;
  return { data: { ...data, verifying: { stories, red: [] } }, go: { to: "check", index } };
}
function isBeforeEnd(data, index) {
  return index >= commandsOf(data).length;
}
function verifyCheck({ iteration, data }, index) {
  const commands = commandsOf(data);
  const command = commands[index % commands.length] ?? "";
  const slug = command.replaceAll(/[^a-zA-Z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "").slice(0, 50);
  const number2 = [String(iteration).padStart(3, "0"), index + 1].join("-");
  return {
    kind: "command",
    index,
    command,
    log: `checks/verify-${number2}-${slug}.log`,
    keepChars: KEPT_CHARS,
    keeps: "end",
    timeoutMs: data.request.verifyTimeoutMs ?? DEFAULT_VERIFY_TIMEOUT
  };
}
function redOf(data, { index, outcome, log, output, truncated }) {
  const commands = commandsOf(data);
  return outcome.is === "passed" ? [] : [{ command: commands[index % commands.length] ?? "", outcome, log, output, truncated }];
}
function passedIn({ verdict }) {
  if (verdict.kind === "at-cap") return [verdict.story];
  if (verdict.kind !== "legal") return [];
  return verdict.passed ?? (verdict.approved === null ? [] : [verdict.approved]);
}
function feedbackOf(red) {
  return [
    "The loop ran verifyCommands itself, and this story does not count while they fail:",
    ...red.map(({ command, outcome, output, truncated }) => {
      const said = printable(output).trimEnd();
      const which = said === "" ? "It printed nothing." : truncated ? "The end of its output:" : "Its output:";
      return [`$ ${printable(command)}`, `${describeOutcome(outcome)}. ${which}`, ...said === "" ? [] : [said]].join(
        "\n"
      );
    })
  ].join("\n\n");
}
function redNames(red) {
  return red.map(({ command, outcome }) => `${printable(command)} (${describeOutcome(outcome)})`).join(" and ");
}
function whyCapped(data, red) {
  const { request, judged } = data;
  if (request.skipReview || judged === null) return null;
  const { story } = nowRunning(data);
  const [id = story.id] = passedIn(judged);
  const { verdict } = judged;
  const before = ("countBefore" in verdict ? verdict.countBefore : void 0) ?? story.reviewCount;
  const reviews = reviewsOf2(data, { ...story, id, reviewCount: before });
  if (!isLastReview(reviews, request.reviewCap)) return null;
  return `story ${id} was approved at the review cap (${request.reviewCap}), but verifyCommands failed: ${redNames(red)}`;
}
var KEPT_CHARS;
var init_verify_rules = __esm({
  "src/loops/stories/verify-rules.ts"() {
    "use strict";
    init_check();
    init_printable();
    init_allowed_changes();
    init_request2();
    init_story_state();
    KEPT_CHARS = 4e3;
  }
});

// src/loops/stories/transitions.ts
function afterJudge(before, judged) {
  const ran = ranOf(before);
  const running = nowRunning(before);
  const data = { ...before, judged, promised: ran.outcome.kind === "worked" ? promisedIn(ran.said.tag) : null };
  const isTouched = judged.tasks !== running.tasks || judged.prd !== running.prd;
  if (ran.outcome.kind !== "worked") return isTouched ? putBack(data, "failed") : byDefault(data, ran);
  if (isEmptyReply(ran) && !isTouched) return afterEmptyReply(data);
  const worked = { ...data, emptyInARow: 0, stuckCount: hasCommitted(running, judged) ? 0 : data.stuckCount + 1 };
  const wrong = tampering(worked);
  if (wrong !== null) return putBack({ ...worked, note: wrong, tamperedInARow: data.tamperedInARow + 1 }, "tampered");
  return afterWork({ ...worked, tamperedInARow: 0 }, judged);
}
function hasCommitted({ head: before }, { head: after2 }) {
  return after2 === null || before !== after2;
}
function afterWork(data, { verdict, code }) {
  const running = nowRunning(data);
  const isRepository = data.repository !== null;
  const unreviewed = whyUnreviewed(running, verdict, code, isRepository);
  if (unreviewed !== null) return putBack({ ...data, note: unreviewed }, "uncounted");
  switch (verdict.kind) {
    case "illegal":
      throw new Error("tampering was looked for before");
    case "at-cap":
      return verifyFirst(data, [verdict.story]) ?? { data, go: { to: "step", what: "approve" } };
    case "no-verdict":
      return needsPerson(data.promised) ? counted2(data) : failed2(data, verdict.reason);
    case "undocumented":
      return putBack({ ...data, note: verdict.reason }, "uncounted");
    case "legal": {
      const unfixed = running.mode === "review-fix" ? whyUnfixed(running.code, code, isRepository) : null;
      if (unfixed === null || needsPerson(data.promised)) return countedIfGreen(data);
      const reason = `${unfixed}: story ${running.story.id} stays changes_requested. Address its reviewFeedback in the code, then re-submit it.`;
      return verdict.submitted === null ? failed2(data, reason) : putBack({ ...data, note: reason }, "no-fix");
    }
  }
}
function whyUnreviewed({ mode, code: before }, verdict, after2, isRepository) {
  const approved = verdict.kind === "at-cap" ? verdict.story : verdict.kind === "legal" ? verdict.approved : null;
  if (mode !== "review" || approved === null) return null;
  if (before === null ? !isRepository : before === after2) return null;
  const what = before === null || after2 === null ? "Git cannot tell whether the review iteration changed code" : "The review iteration changed code";
  return `${what}: its approval of story ${approved} does not count. Review iterations do not fix code: leave it as it is, and ask for changes where it needs some. What a command of verifyCommands writes belongs into .gitignore.`;
}
function whyUnfixed(before, after2, isRepository) {
  if (before === null && !isRepository) return null;
  if (before === null || after2 === null) return "Git cannot tell what the review-fix iteration changed";
  return before === after2 ? "The review-fix iteration changed no code" : null;
}
function afterPutBack(data) {
  const why = data.pending?.why;
  switch (why) {
    case "interrupted":
      return settled(data, { to: "again" });
    case "no-fix":
    case "uncounted":
      return failed2(data, data.note ?? "");
    case "between":
    case "tampered": {
      if (data.tamperedInARow < MOST_TAMPERED)
        return settled(data, { to: why === "between" ? "again" : "next-iteration" });
      const reason = `${MOST_TAMPERED} iterations in a row made changes that they may not make. The last: ${data.note ?? ""}`;
      return settled(data, { to: "end", ending: { kind: "tampered", reason } });
    }
    default:
      return byDefault(data, ranOf(data));
  }
}
function afterApproval(data) {
  return counted2(data);
}
function tampering(data) {
  const { judged } = data;
  const wrongs = [
    ...judged?.prd === nowRunning(data).prd ? [] : ["prd.md was changed. It is read-only during the loop: leave it as it is."],
    ...judged?.verdict.kind === "illegal" ? [judged.verdict.reason] : []
  ];
  return wrongs.length === 0 ? null : wrongs.join("\n");
}
function countedIfGreen(data) {
  const passed = passedIn(judgedOf(data));
  return (passed.length === 0 ? null : verifyFirst(data, passed)) ?? counted2(data);
}
function counted2(before) {
  const { promised } = before;
  const data = { ...before, note: null, answer: null, verifying: null, reviews: reviewsAfter(before) };
  return needsPerson(promised) ? { data: { ...data, running: null }, go: { to: "step", what: "tell" } } : byDefault(data, ranOf(data));
}
function reviewsAfter(data) {
  const { mode, story } = nowRunning(data);
  const verdict = data.judged?.verdict;
  const isReviewed = verdict?.kind === "at-cap" || verdict?.kind === "legal" && mode === "review" && (verdict.approved ?? verdict.sentBack) !== null;
  if (!isReviewed) return data.reviews;
  const id = verdict.kind === "at-cap" ? verdict.story : verdict.approved ?? verdict.sentBack ?? story.id;
  const reviewCount = verdict.countBefore ?? (id === story.id ? story.reviewCount : 0);
  return { ...data.reviews, [id]: reviewsOf2(data, { ...story, id, reviewCount }) + 1 };
}
function failed2(data, reason) {
  const outcome = { kind: "failed", exit: { by: "code", code: 0 }, reason };
  return byDefault({ ...data, note: reason }, { ...ranOf(data), outcome });
}
function afterEmptyReply(before) {
  const data = { ...before, emptyInARow: before.emptyInARow + 1 };
  if (data.emptyInARow < MOST_EMPTY) return settled(data, { to: "again" });
  return settled(data, { to: "end", ending: { kind: "infrastructure", reason: EMPTY_REPLIES } });
}
function putBack(data, why) {
  const { tasks, prd, head } = nowRunning(data);
  return { data: { ...data, pending: { why, tasks, prd, head } }, go: { to: "step", what: "put-back" } };
}
function putBackBetween(before, { reason, tasks, prd }) {
  const data = { ...before, note: reason, tamperedInARow: before.tamperedInARow + 1 };
  return {
    data: { ...data, pending: { why: "between", tasks, prd, head: null } },
    go: { to: "step", what: "put-back" }
  };
}
function settled(data, go2) {
  return { data: { ...data, running: null, pending: null }, go: go2 };
}
function byDefault(data, ran) {
  return settled({ ...data, lastFailure: failureOf3(ran) ?? data.lastFailure }, { to: "default", ran });
}
function failureOf3(ran) {
  const { outcome } = ran;
  if (outcome.kind !== "failed") return null;
  const isGoodExit = outcome.exit.by === "code" && outcome.exit.code === 0;
  return isGoodExit && outcome.reason !== void 0 ? outcome.reason : describeFailure(ran);
}
function isEmptyReply({ said, toolCalls = 0 }) {
  return said.firstLine === null && said.tag === null && toolCalls === 0;
}
function needsPerson(promised) {
  return promised !== null && promised.kind !== "complete";
}
function ranOf({ ran }) {
  if (ran === null) throw new Error("no run is being judged");
  return ran;
}
var init_transitions = __esm({
  "src/loops/stories/transitions.ts"() {
    "use strict";
    init_outcome();
    init_promise();
    init_story_state();
    init_verify_rules();
  }
});

// src/loops/stories/verify-transitions.ts
function afterCheck({ iteration, data: before }, checked) {
  const commands = commandsOf(before);
  const { stories, red: earlier } = verifyingOf(before);
  const red = [...earlier, ...redOf(before, checked)];
  const data = { ...before, verifying: { stories, red } };
  const following = checked.index + 1;
  if (following % commands.length !== 0) return { data, go: { to: "check", index: following } };
  const verified = { ...data, verified: { iteration, commands, red } };
  if (red.length > 0) return afterRed(verified);
  const isOnceMore = following === commands.length && isComplete(verified.judged);
  return isOnceMore ? { data: verified, go: { to: "check", index: following } } : afterGreen(verified);
}
function afterGreen(data) {
  if (verifyingOf(data).stories.length === 0) return { data, go: { to: "end", ending: { kind: "done" } } };
  const isAtCap = data.judged?.verdict.kind === "at-cap";
  return isAtCap ? { data, go: { to: "step", what: "approve" } } : counted2(data);
}
function afterRed(data) {
  const { stories, red } = verifyingOf(data);
  if (stories.length > 0) return { data, go: { to: "step", what: "send-back" } };
  const reason = `all stories are approved, but verifyCommands failed: ${redNames(red)}`;
  return { data, go: { to: "end", ending: { kind: "blocked", reason } } };
}
function sendBackGiven(data) {
  const { stories, red } = verifyingOf(data);
  const { skipReview } = data.request;
  return { stories, tasks: judgedOf(data).tasks, feedback: feedbackOf(red), skipReview };
}
function afterSendBack(before, { tasks, complete }) {
  const judged = judgedOf(before);
  const { red } = verifyingOf(before);
  const capped = whyCapped(before, red);
  const [sentBack = null] = passedIn(judged);
  const { countBefore } = judged.verdict;
  const verdict = {
    kind: "legal",
    isComplete: false,
    submitted: null,
    approved: null,
    sentBack: before.request.skipReview ? null : sentBack,
    isCapApproval: false,
    passed: [],
    ...countBefore === void 0 ? {} : { countBefore }
  };
  const done = counted2({ ...before, judged: { ...judged, tasks, complete, verdict } });
  const data = before.request.skipReview ? { ...done.data, note: feedbackOf(red) } : done.data;
  if (capped === null || done.go.to === "step") return { data, go: done.go };
  return settled(data, { to: "end", ending: { kind: "blocked", reason: capped } });
}
function verifyingOf({ verifying }) {
  if (verifying === null) throw new Error("nothing is being verified");
  return verifying;
}
var init_verify_transitions = __esm({
  "src/loops/stories/verify-transitions.ts"() {
    "use strict";
    init_story_state();
    init_transitions();
    init_verify_rules();
  }
});

// src/loops/stories/rules.ts
function unlessSpoilt(after2) {
  return (state, gave) => "spoilt" in gave ? { data: state.data, go: { to: "end", ending: { kind: "tampered", reason: gave.spoilt } } } : after2(state, gave);
}
function continuedWith(data, { answer = data.answer, ...options }) {
  const request = { ...data.request, ...options };
  return { ...data, request, answer, stuckCount: 0, emptyInARow: 0, tamperedInARow: 0 };
}
function afterInputs({ data, iteration }) {
  const { running } = data;
  const { tasks, prd, list: list2, between } = inputsOf(data);
  if (running !== null && (running.tasks !== tasks || running.prd !== prd)) return putBack(data, "interrupted");
  if (between !== null) return putBackBetween(data, between);
  switch (list2.is) {
    case "invalid": {
      const { reason, hint } = list2;
      const ending = { kind: "configuration", reason, ...hint === void 0 ? {} : { hint } };
      return { data, go: { to: "end", ending } };
    }
    case "complete":
      return verifyFirst(data, []) ?? { data, go: { to: "end", ending: { kind: "done" } } };
    case "waiting":
      return { data, go: { to: "end", ending: { kind: "blocked", reason: list2.reason } } };
    case "open": {
      const stuck = whyStuck(data);
      if (stuck !== null) return { data, go: { to: "end", ending: { kind: "stuck", reason: stuck } } };
      if (iteration > data.request.maxIterations) return null;
      return { data, go: { to: "step", what: "mark" } };
    }
  }
}
function whyStuck({ stuckCount, request: { stuckAfter } }) {
  if (stuckAfter == null || stuckCount < stuckAfter) return null;
  return `${withoutCommit(stuckCount)} (--stuck-after ${stuckAfter})`;
}
function markGiven({ iteration, data }) {
  const { tasks, list: list2 } = inputsOf(data);
  if (list2.is !== "open") throw new Error(`a list that is ${list2.is} has nothing to mark`);
  return { iteration, mode: list2.mode, story: list2.story.id, tasks, stuckCount: data.stuckCount };
}
function judgeGiven(data) {
  const { mode, story, tasks, head } = nowRunning(data);
  const { reviewCap, skipReview } = data.request;
  return { mode, story: story.id, before: tasks, reviews: data.reviews, reviewCap, skipReview, head };
}
function promptBackGiven(data) {
  const { prompt: text2, head } = nowRunning(data);
  return { prompt: text2, head };
}
function putBackGiven({ pending }) {
  if (pending === null) throw new Error("nothing is to be put back");
  return pending;
}
function approveGiven({ judged }) {
  if (judged?.verdict.kind !== "at-cap") throw new Error("only a review at the cap is approved by the loop");
  const { story, approved } = judged.verdict;
  return { story, approved };
}
function tellGiven({ iteration, at, data: { promised } }) {
  if (promised === null || promised.kind === "complete") throw new Error("there is nothing to tell a person");
  return { kind: promised.kind, reason: promised.reason, iteration, at };
}
function seeing(data, last) {
  return { ...data, seen: { last: last && { tasks: last.tasks, prd: last.prd }, beforePause: null } };
}
function seeingList(data, tasks) {
  const { last } = data.seen;
  return seeing(data, last && { ...last, tasks });
}
function afterTelling(data) {
  const { promised } = data;
  const reason = promised === null || promised.kind === "complete" ? "" : promised.reason;
  return { data, go: { to: "end", ending: { kind: promised?.kind === "decision" ? "decision" : "blocked", reason } } };
}
function afterMark(state, marked) {
  const { data } = state;
  const gone = withoutRepository(data, marked);
  if (gone !== null) return gone;
  const repository = marked.repository ?? data.repository;
  const seen = { ...data.seen, beforePause: null };
  return { data: { ...data, repository, seen, running: begun(state, marked) }, go: { to: "run", purpose: "work" } };
}
function withoutRepository(data, { repository }) {
  const was = data.repository;
  if (was === null || repository === void 0 || repository === was) return null;
  const reason = `the git repository in ${was} is gone, or its history is: it was there when the loop began`;
  return { data, go: { to: "end", ending: { kind: "tampered", reason } } };
}
function afterLook(data, judged) {
  const before = nowRunning(data).prompt;
  if (before === void 0 || before === judged.prompt) return afterJudge(data, judged);
  return { data: { ...data, judged }, go: { to: "step", what: "prompt-back" } };
}
function begun({ at, data }, { head, code }) {
  const { tasks, prd, list: list2, promptCopy } = inputsOf(data);
  if (list2.is !== "open") throw new Error(`a list that is ${list2.is} has nothing to begin`);
  return { mode: list2.mode, story: list2.story, tasks, prd, prompt: promptCopy, head, code, beganAt: at };
}
function prompt({ iteration, data }) {
  const { request, note } = data;
  const { mode, story } = nowRunning(data);
  const { prompt: text2 } = inputsOf(data);
  const { ralphDir, maxIterations, skipReview, reviewCap } = request;
  const counted3 = { ...story, reviewCount: reviewsOf2(data, story) };
  return storiesPrompt({
    text: text2,
    iteration,
    maxIterations,
    mode,
    story: counted3,
    ralphDir,
    skipReview,
    reviewCap,
    verifies: commandsOf(data).length > 0,
    note,
    answer: data.answer
  });
}
var storiesRules;
var init_rules2 = __esm({
  "src/loops/stories/rules.ts"() {
    "use strict";
    init_agent();
    init_prompt();
    init_story_state();
    init_transitions();
    init_verify_rules();
    init_verify_transitions();
    storiesRules = {
      loopKind: "stories",
      begin: (request) => ({
        request,
        // Older loops had none.
        answer: request.answer ?? null,
        inputs: null,
        running: null,
        ran: null,
        judged: null,
        pending: null,
        note: null,
        reviews: {},
        tamperedInARow: 0,
        emptyInARow: 0,
        stuckCount: 0,
        promised: null,
        verifying: null,
        verified: null,
        repository: null,
        seen: { last: null, beforePause: null },
        lastFailure: null,
        ranIn: 0
      }),
      takeInputs: (data, inputs) => ({ ...data, inputs }),
      inputsGiven: ({ seen }) => seen,
      afterStandstill: (data) => ({ ...data, seen: { last: null, beforePause: data.seen.last } }),
      takeOptions: continuedWith,
      afterInputs,
      limit: ({ request }) => request.maxIterations,
      backoffUnit: ({ request }) => request.backoffUnitMs,
      agent: ({ data }) => agentFor(data.request, nowRunning(data).mode, inputsOf(data).pluginDir),
      prompt,
      listen: () => ({ tag: "promise", multiline: true }),
      deferFailureCount: true,
      afterEveryRun: ({ data, iteration }, ran) => ({
        data: { ...data, ran, ranIn: iteration },
        go: { to: "step", what: "judge" }
      }),
      afterRun: ({ data }) => ({
        data,
        go: isComplete(data.judged) ? { to: "end", ending: { kind: "done" } } : { to: "next-iteration" }
      }),
      checks: { spec: verifyCheck, after: afterCheck },
      steps: {
        mark: { given: markGiven, after: unlessSpoilt(afterMark) },
        judge: {
          given: ({ data }) => judgeGiven(data),
          after: unlessSpoilt(({ data: before }, judged) => {
            const data = seeing(before, judged);
            return withoutRepository(data, judged) ?? afterLook(data, judged);
          })
        },
        "prompt-back": {
          outward: true,
          given: ({ data }) => promptBackGiven(data),
          after: unlessSpoilt(({ data }) => afterJudge(data, judgedOf(data)))
        },
        "put-back": {
          outward: true,
          given: ({ data }) => putBackGiven(data),
          after: unlessSpoilt(({ data }) => afterPutBack(seeing(data, putBackGiven(data))))
        },
        approve: {
          outward: true,
          given: ({ data }) => approveGiven(data),
          after: unlessSpoilt(({ data }) => afterApproval(seeingList(data, approveGiven(data).approved)))
        },
        "send-back": {
          outward: true,
          given: ({ data }) => sendBackGiven(data),
          after: unlessSpoilt(({ data }, sentBack) => afterSendBack(seeingList(data, sentBack.tasks), sentBack))
        },
        tell: { outward: true, given: tellGiven, after: ({ data }) => afterTelling(data) }
      }
    };
  }
});

// src/loops/stories/find-loop.ts
function newestStories(root, cwd, except = null) {
  const fits = ({ id, loopKind, cwd: where }) => loopKind === "stories" && where === cwd && id !== except;
  return listLoops(root).findLast(fits) ?? null;
}
function knownLoop(root, cwd) {
  const status = newestStories(root, cwd);
  if (status === null) return null;
  const records = recordsIn2(loopFolder(root, status.id));
  const state = folded(records);
  const [created, last] = [records[0]?.result, records.at(-1)?.result];
  return {
    status,
    // Written by this loop kind's own start.
    request: created?.kind === "created" ? created.options : null,
    isPaused: last?.kind === "waited" && last.command === "pause",
    state
  };
}
function dataIn(loop) {
  return folded(recordsIn2(loop))?.data ?? null;
}
function folded(records) {
  try {
    return records.length === 0 ? null : fold(loopMachine(storiesRules), records);
  } catch {
    return null;
  }
}
function recordsIn2(loop) {
  try {
    return readJournal(journalPath(loop)).records;
  } catch (error) {
    const isSpoilt = error instanceof RalphError && error.code === "JOURNAL_DAMAGED";
    if (isSpoilt || ["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(errnoOf(error) ?? "")) return [];
    throw error;
  }
}
var init_find_loop = __esm({
  "src/loops/stories/find-loop.ts"() {
    "use strict";
    init_error();
    init_machine();
    init_journal();
    init_paths();
    init_registry();
    init_rules2();
  }
});

// src/process/folder-watch.ts
function watchFolder(folder) {
  const listeners = /* @__PURE__ */ new Map();
  const tell2 = (name) => {
    const heard = name === null ? [...listeners.values()] : [listeners.get(name) ?? []];
    for (const set of heard) for (const changed2 of set) changed2();
  };
  const stop = beginWatching(folder, tell2);
  return {
    on(name, changed2) {
      const set = listeners.get(name) ?? /* @__PURE__ */ new Set();
      listeners.set(name, set.add(changed2));
      return () => {
        set.delete(changed2);
        if (set.size === 0 && listeners.get(name) === set) listeners.delete(name);
      };
    },
    close: stop
  };
}
function beginWatching(folder, tell2) {
  let watcher;
  try {
    watcher = (0, import_node_fs21.watch)(folder, (_event, name) => tell2(name));
  } catch {
    const timer = setInterval(() => tell2(null), POLL_EVERY_MS);
    return () => clearInterval(timer);
  }
  watcher.on("error", () => tell2(null));
  return () => watcher.close();
}
var import_node_fs21, POLL_EVERY_MS;
var init_folder_watch = __esm({
  "src/process/folder-watch.ts"() {
    "use strict";
    import_node_fs21 = require("node:fs");
    POLL_EVERY_MS = 100;
  }
});

// src/engine/control.ts
function tellLoop(loop, command) {
  makePrivateFolder(folderOf(loop));
  const said = { id: (0, import_node_crypto3.randomUUID)(), at: Date.now(), command };
  appendFile(fileOf(loop), `
${JSON.stringify(said)}
`, { mode: 384 });
}
function wantedOf(loop) {
  return netOf(readControl(loop)) ?? "run";
}
function pendingControl(loop, consumed) {
  const all = readControl(loop);
  const pending = all.slice(all.findIndex(({ id }) => id === consumed) + 1);
  const last = pending.at(-1);
  return last === void 0 ? null : { upTo: last.id, wanted: netOf(pending) ?? "run" };
}
function watchControl(loop, changed2) {
  makePrivateFolder(folderOf(loop));
  const watch3 = watchFolder(folderOf(loop));
  const stop = watch3.on(FILE3, changed2);
  return () => {
    stop();
    watch3.close();
  };
}
function netOf(commands) {
  if (commands.some(({ command }) => command === "stop")) return "stop";
  const last = commands.at(-1);
  return last === void 0 ? null : last.command === "pause" ? "pause" : "run";
}
function readControl(loop) {
  const text2 = textOf3(fileOf(loop));
  return text2 === null ? olderControl(loop) : text2.split("\n").flatMap((line) => commandIn(line) ?? []);
}
function commandIn(line) {
  try {
    const said = JSON.parse(line);
    const isKnown = said?.command === "pause" || said?.command === "resume" || said?.command === "stop";
    return isKnown && typeof said.id === "string" ? said : null;
  } catch {
    return null;
  }
}
function olderControl(loop) {
  const word = textOf3((0, import_node_path26.join)(loop, "orders", "order"))?.trim();
  return word === "pause" || word === "stop" ? [{ id: "order", at: 0, command: word }] : [];
}
function textOf3(path) {
  if (!(0, import_node_fs22.existsSync)(path)) return null;
  try {
    return readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
function fileOf(loop) {
  return (0, import_node_path26.join)(folderOf(loop), FILE3);
}
function folderOf(loop) {
  return (0, import_node_path26.join)(loop, "control");
}
var import_node_crypto3, import_node_fs22, import_node_path26, FILE3;
var init_control = __esm({
  "src/engine/control.ts"() {
    "use strict";
    import_node_crypto3 = require("node:crypto");
    import_node_fs22 = require("node:fs");
    import_node_path26 = require("node:path");
    init_error();
    init_files();
    init_folder_watch();
    init_folders();
    FILE3 = "commands.jsonl";
  }
});

// src/process/containment/pid-namespace.ts
function inPidNamespace(argv, asRoot, grace = 0) {
  const user = asRoot ? [] : ["--user", "--map-current-user"];
  return [
    "unshare",
    ...user,
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--",
    "sh",
    "-c",
    initScript(grace),
    "ralph-init",
    ...argv
  ];
}
function initScript(grace) {
  if (grace <= 0) return '"$@"; exit $?';
  const isLeft = `[ $i -lt ${Math.ceil(grace / LOOK_EVERY2)} ] && kill -0 -1`;
  const wait = `i=0; while ${isLeft}; do sleep ${LOOK_EVERY2 / 1e3} || sleep 1 || break; i=$((i + 1)); done`;
  return `"$@"; code=$?; { kill -TERM -1; ${wait}; } 2>/dev/null; exit $code`;
}
function pidNamespacesWork(asRoot) {
  const [command, ...args] = inPidNamespace(["true"], asRoot);
  return (0, import_node_child_process4.spawnSync)(command, args, { stdio: "ignore" }).status === 0;
}
var import_node_child_process4, LOOK_EVERY2;
var init_pid_namespace = __esm({
  "src/process/containment/pid-namespace.ts"() {
    "use strict";
    import_node_child_process4 = require("node:child_process");
    LOOK_EVERY2 = 20;
  }
});

// src/process/containment/containment.ts
function strongestContainment(choose) {
  return take2("cgroup", choose) ?? take2("pid-namespace") ?? { level: "group" };
}
function containmentOf(level, choose) {
  const containment = take2(level, choose);
  if (containment !== null) return containment;
  throw new RalphError("CONTAINMENT", `this machine cannot contain a run by "${level}"`, {
    hint: "Leave RALPH_CONTAINMENT unset to take the strongest way that works here.",
    exitCode: 2
  });
}
function take2(level, choose) {
  if (level === "group") return { level };
  if (process.platform !== "linux") return null;
  if (level === "cgroup") {
    const home = findCgroupHome(choose);
    return home === null ? null : { level, home };
  }
  const asRoot = process.getuid?.() === 0;
  return pidNamespacesWork(asRoot) ? { level, asRoot } : null;
}
var CONTAINMENT_LEVELS;
var init_containment = __esm({
  "src/process/containment/containment.ts"() {
    "use strict";
    init_error();
    init_cgroup();
    init_pid_namespace();
    CONTAINMENT_LEVELS = ["cgroup", "pid-namespace", "group"];
  }
});

// src/process/host.ts
function thisHost(env, level) {
  const containment = level === null ? strongestContainment() : containmentOf(level);
  return { place: thisMachine3(), containment, env, mask: maskFor(env) };
}
var init_host = __esm({
  "src/process/host.ts"() {
    "use strict";
    init_mask();
    init_containment();
    init_identity();
  }
});

// src/state/loop-base.ts
function baseOf(cwd, pinned = []) {
  const git2 = findGit(cwd);
  const pins = Object.fromEntries(pinned.map((path) => [path, hashOf(readPlain((0, import_node_path27.join)(cwd, path)))]));
  return { commit: git2 === null ? null : headOf(git2), pins };
}
function hashOf(text2) {
  return text2 === null ? null : (0, import_node_crypto4.createHash)("sha256").update(text2).digest("hex");
}
function headOf({ gitFolder, commonFolder }) {
  const head = textOf4((0, import_node_path27.join)(gitFolder, "HEAD"));
  const [, ref] = /^ref: (refs\/\S+)$/.exec(head) ?? [];
  if (ref === void 0) return COMMIT.test(head) ? head : null;
  const loose = textOf4((0, import_node_path27.join)(commonFolder, ref));
  if (COMMIT.test(loose)) return loose;
  const packed = textOf4((0, import_node_path27.join)(commonFolder, "packed-refs")).split("\n");
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null;
}
function textOf4(path) {
  return readPlain(path)?.trim() ?? "";
}
var import_node_crypto4, import_node_path27, COMMIT;
var init_loop_base = __esm({
  "src/state/loop-base.ts"() {
    "use strict";
    import_node_crypto4 = require("node:crypto");
    import_node_path27 = require("node:path");
    init_git_place();
    init_plain_file();
    COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
  }
});

// src/core/turn.ts
function* turns(machine2, before, append2) {
  let state = before;
  let record = null;
  while (!isOver(state)) {
    const action = machine2.next(state);
    const taken3 = yield { action, state, record };
    record = nextRecord(state, { ...taken3, key: action.key });
    append2(record);
    state = machine2.apply(state, record);
  }
  return { state, record, ending: state.phase.ending };
}
function endedBy({ ending }) {
  return { kind: "ended", ending };
}
var init_turn = __esm({
  "src/core/turn.ts"() {
    "use strict";
    init_record();
    init_state();
  }
});

// src/process/follow.ts
function openFollowing(folder, buffer = followBuffer()) {
  return { watch: watchFolder(folder), buffer };
}
function followBuffer() {
  return Buffer.allocUnsafe(CHUNK_BYTES);
}
function follow(folder, files, { watch: watch3, buffer }, ready) {
  const sources = files.map((file) => ({
    ...file,
    fd: openFollowed((0, import_node_path28.join)(folder, file.name)),
    position: file.from ?? 0,
    pending: false
  }));
  let closed = false;
  const read = (source, atMost, isWatched) => {
    for (let total = 0; total < atMost; ) {
      const bytes = (0, import_node_fs23.readSync)(source.fd, buffer, 0, buffer.length, source.position);
      if (bytes === 0) {
        if (source.position === 0 || (0, import_node_fs23.fstatSync)(source.fd).size >= source.position) return true;
        source.position = 0;
        continue;
      }
      source.position += bytes;
      source.onChunk(buffer.subarray(0, bytes));
      if (isWatched && bytes < buffer.length) return true;
      total += bytes;
    }
    return false;
  };
  const turn = (source) => {
    const wait = ready();
    if (wait !== null) {
      void wait.then(() => turn(source));
      return;
    }
    source.pending = false;
    if (!closed && !read(source, TURN_BYTES, true)) later(source);
  };
  const later = (source) => {
    if (source.pending) return;
    source.pending = true;
    setImmediate(turn, source);
  };
  const stops = sources.map((source) => watch3.on(source.name, () => later(source)));
  for (const source of sources) later(source);
  return {
    async drain() {
      for (const source of sources) while (!read(source, TURN_BYTES, false)) await (ready() ?? (0, import_promises2.setImmediate)());
    },
    close: () => {
      closed = true;
      for (const stop of stops) stop();
      for (const source of sources) (0, import_node_fs23.closeSync)(source.fd);
    }
  };
}
function openFollowed(path) {
  const fd = (0, import_node_fs23.openSync)(path, import_node_fs23.constants.O_RDONLY | import_node_fs23.constants.O_NONBLOCK);
  if ((0, import_node_fs23.fstatSync)(fd).isFile()) return fd;
  (0, import_node_fs23.closeSync)(fd);
  return (0, import_node_fs23.openSync)(import_node_os5.devNull, "r");
}
var import_node_fs23, import_node_os5, import_node_path28, import_promises2, alwaysReady, CHUNK_BYTES, TURN_BYTES;
var init_follow = __esm({
  "src/process/follow.ts"() {
    "use strict";
    import_node_fs23 = require("node:fs");
    import_node_os5 = require("node:os");
    import_node_path28 = require("node:path");
    import_promises2 = require("node:timers/promises");
    init_folder_watch();
    alwaysReady = () => null;
    CHUNK_BYTES = 256 * 1024;
    TURN_BYTES = 4 * 1024 * 1024;
  }
});

// src/engine/durability.ts
function durabilityOf(journal) {
  let running = null;
  let soon = null;
  let failure3 = null;
  const begin2 = () => {
    const sync = journal.sync().catch((error) => {
      failure3 ??= { error };
    }).finally(() => {
      if (running === sync) running = null;
    });
    running = sync;
    return sync;
  };
  return {
    begin() {
      if (running !== null || soon !== null) return;
      soon = setImmediate(() => {
        soon = null;
        void begin2();
      });
    },
    async settled() {
      if (soon !== null) clearImmediate(soon);
      soon = null;
      await running;
      await begin2();
      if (failure3 !== null) throw failure3.error;
    }
  };
}
var init_durability = __esm({
  "src/engine/durability.ts"() {
    "use strict";
  }
});

// src/engine/journal-watch.ts
function journalWatch(path) {
  const file = openIfThere(path);
  if (file === null) return { harm: () => null, appended: nothing, restore: nothing, close: nothing };
  const written = [(0, import_node_fs24.readFileSync)(file)];
  let size = written[0]?.length ?? 0;
  let seen = (0, import_node_fs24.fstatSync)(file);
  const isAsWritten = () => {
    const content = Buffer.alloc(size);
    (0, import_node_fs24.readSync)(file, content, 0, size, 0);
    return content.equals(Buffer.concat(written));
  };
  return {
    harm() {
      const now2 = statOf(path);
      if (typeof now2 === "string") return `${path} ${now2}`;
      const isOurs = now2.ino === seen.ino && now2.dev === seen.dev && now2.size === size;
      if (!isOurs || now2.ctimeMs !== seen.ctimeMs && !isAsWritten()) return `${path} was changed`;
      seen = now2;
      return null;
    },
    appended(line) {
      seen = (0, import_node_fs24.fstatSync)(file);
      written.push(line);
      size += line.length;
    },
    restore(more) {
      const folder = (0, import_node_path29.dirname)(path);
      if ((0, import_node_fs24.lstatSync)(folder, { throwIfNoEntry: false })?.isDirectory() === false) moveAside(folder);
      makePrivateFolder(folder);
      if ((0, import_node_fs24.lstatSync)(path, { throwIfNoEntry: false }) !== void 0) moveAside(path);
      const lines = more.map((record) => Buffer.from(`${JSON.stringify(record)}
`));
      const whole = Buffer.concat([...written, ...lines]);
      writeFile(path, whole, { mode: 384, flag: "wx" });
      syncToDisk(path);
      syncToDisk(folder);
    },
    close: () => (0, import_node_fs24.closeSync)(file)
  };
}
function missingFrom2(folder, error) {
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : null;
  const isOwn = path === folder || path?.startsWith(`${folder}/`) === true;
  return isOwn && ["ENOENT", "ENOTDIR", "EISDIR", "ELOOP"].includes(errnoOf(error) ?? "") ? `${path} was removed` : null;
}
function moveAside(path) {
  (0, import_node_fs24.renameSync)(path, `${path}.tampered-${Date.now()}`);
}
function openIfThere(path) {
  try {
    return (0, import_node_fs24.openSync)(path, "r");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
function statOf(path) {
  try {
    return (0, import_node_fs24.statSync)(path);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    return ["ENOENT", "ENOTDIR", "ELOOP"].includes(code) ? "was removed" : `cannot be read any more (${code})`;
  }
}
function nothing() {
}
var import_node_fs24, import_node_path29;
var init_journal_watch = __esm({
  "src/engine/journal-watch.ts"() {
    "use strict";
    import_node_fs24 = require("node:fs");
    import_node_path29 = require("node:path");
    init_error();
    init_files();
    init_folders();
  }
});

// src/engine/status-writer.ts
function statusWriter(folder, createdAt) {
  let held2 = null;
  let timer = null;
  let writtenAt = -Infinity;
  const write = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (held2 === null) return;
    writeStatus(folder, statusOf(held2, createdAt));
    held2 = null;
    writtenAt = now();
  };
  const writeIfPossible = () => {
    try {
      write();
    } catch (error) {
      if (systemFault(error) === null) throw error;
    }
  };
  return {
    update(state) {
      held2 = state;
      const rest = writtenAt + AT_MOST_EVERY - now();
      if (rest <= 0) writeIfPossible();
      else timer ??= setTimeout(writeIfPossible, rest).unref();
    },
    close: writeIfPossible
  };
}
function now() {
  return process.uptime() * 1e3;
}
var AT_MOST_EVERY;
var init_status_writer = __esm({
  "src/engine/status-writer.ts"() {
    "use strict";
    init_system_fault();
    init_status();
    AT_MOST_EVERY = 1e3;
  }
});

// src/engine/drive.ts
async function drive(machine2, loop, options) {
  const { journal, folder, createdAt } = loop;
  const { perform, now: now2, emit, stop, cancel, resume, ready = alwaysReady } = options;
  const durability = durabilityOf(journal);
  const stopOrCancel = AbortSignal.any([stop, cancel]);
  const status = statusWriter(folder, createdAt);
  const watch3 = journalWatch(journalPath(folder));
  let { state } = loop;
  let hasStarted = false;
  let resumedAt = state.seq > 0 ? now2() : void 0;
  const append2 = (record) => {
    const harm = watch3.harm();
    if (harm !== null) throw new Tampering(harm, record);
    watch3.appended(journal.append(record));
    if (record.result.kind === "ran") durability.begin();
    if (record.result.kind === "ended") journal.syncNow();
  };
  const performed = async (action) => {
    if (action.do === "publish" || action.do === "end" || action.do === "step" && action.outward)
      await durability.settled();
    if (action.do === "end") return { result: endedBy(action), attempt: 1 };
    const run = "run" in action ? action.run : null;
    let seq = 0;
    return perform(action, {
      signal: action.do === "wait" ? stopOrCancel : cancel,
      ready,
      progress: (event) => {
        if (run !== null) emit({ type: "progress", run, seq: seq++, event });
      }
    });
  };
  const endAgent = async () => {
    if (state.phase.at !== "await") return;
    const at = { signal: AbortSignal.abort(), ready: alwaysReady, progress: () => void 0 };
    try {
      await perform(machine2.next(state), at);
    } catch (error) {
      if (errnoOf(error) === void 0) throw error;
    }
  };
  const endTampered = async (harm, unwritten = []) => {
    state = unwritten.reduce(machine2.apply, state);
    await endAgent();
    const reason = `the loop's own records were tampered with (${harm}): its result cannot be trusted`;
    const ending = { kind: "tampered", reason };
    const record = nextRecord(state, { key: "end", result: { kind: "ended", ending }, at: now2(), resumedAt });
    state = machine2.apply(state, record);
    try {
      watch3.restore([...unwritten, record]);
      status.update(state);
    } catch (error) {
      if (errnoOf(error) === void 0) throw error;
    }
    emit({ type: "record", record, state });
    return { kind: "ended", ending };
  };
  try {
    const turning = turns(machine2, state, append2);
    for (let turn = turning.next(); ; ) {
      const { record } = turn.value;
      ({ state } = turn.value);
      if (record !== null) {
        if (record.result.kind === "inputs" || record.result.kind === "ended") status.update(state);
        emit({ type: "record", record, state });
      }
      if (turn.done === true) return { kind: "ended", ending: turn.value.ending };
      const { action } = turn.value;
      const isAtIt = state.phase.at === "await" || state.phase.at === "step";
      if (cancel.aborted || stop.aborted && !isAtIt) return { kind: "stopped" };
      emit({ type: "action", action, state });
      const taken3 = await performed(action);
      hasStarted ||= action.do === "start";
      turn = turning.next({ ...taken3, at: now2(), resumedAt });
      resumedAt = void 0;
    }
  } catch (error) {
    if (error instanceof Tampering) {
      return await endTampered(error.harm, error.record.result.kind === "started" ? [error.record] : []);
    }
    const isOurHalf = NO_ROOM2.includes(errnoOf(error) ?? "");
    const harm = isOurHalf ? null : watch3.harm() ?? (hasStarted ? missingFrom2(folder, error) : null);
    if (harm === null) throw systemFault(error, resume === void 0 ? {} : { resume }) ?? error;
    return await endTampered(harm);
  } finally {
    watch3.close();
    status.close();
  }
}
var NO_ROOM2, Tampering;
var init_drive = __esm({
  "src/engine/drive.ts"() {
    "use strict";
    init_error();
    init_record();
    init_system_fault();
    init_turn();
    init_follow();
    init_paths();
    init_durability();
    init_journal_watch();
    init_status_writer();
    NO_ROOM2 = ["ENOSPC", "EDQUOT", "EFBIG", "EIO"];
    Tampering = class extends Error {
      constructor(harm, record) {
        super(harm);
        this.harm = harm;
        this.record = record;
      }
      harm;
      record;
    };
  }
});

// src/engine/host.ts
async function hostLoop(loop, { machine: machine2, resume, open }, { emit, left, ready, stop, cancel }) {
  const resumable = resume === void 0 ? {} : { resume };
  const closers = [() => loop.close()];
  let last = loop.state;
  try {
    const world = await open({ add: (close) => void closers.push(close) });
    const driven = await drive(machine2, loop, {
      perform: world.perform,
      now: Date.now,
      emit: (event) => {
        if (event.type === "record") last = event.state;
        emit(event);
      },
      stop,
      cancel,
      ...resumable,
      ...ready === void 0 ? {} : { ready }
    });
    await world.after?.(driven);
    if (world.work !== void 0) left?.(last, await world.work());
    return driven;
  } catch (error) {
    throw systemFault(error, resumable) ?? error;
  } finally {
    for (let close = closers.pop(); close !== void 0; close = closers.pop()) await close();
  }
}
function beginLoop(machine2, { id = newLoopId(Date.now()), pins, ...created }, { release }, home) {
  const base = baseOf(created.cwd, pins);
  return createLoop(machine2, { ...created, id, release, base }, Date.now(), home);
}
function hostOf({ variables, containment }) {
  return thisHost(variables, containment);
}
function homeOf({ root }, { place, mask }) {
  return { root, place, mask };
}
var init_host2 = __esm({
  "src/engine/host.ts"() {
    "use strict";
    init_system_fault();
    init_host();
    init_loop_base();
    init_loop_id();
    init_drive();
    init_loop();
  }
});

// src/engine/local.ts
function keyEnvironment(loop, key, attempt) {
  return { RALPH_LOOP: loop, RALPH_KEY: key, RALPH_ATTEMPT: String(attempt) };
}
function markOf(loop, key, attempt) {
  return `${loop}/${key}#${attempt}`;
}
function timeLimit(timeoutMs, signal) {
  if (timeoutMs === null) return { signal, expired: () => null };
  const clock2 = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER));
  const expired = () => clock2.aborted ? { by: "timeout", afterMs: timeoutMs } : null;
  return { signal: AbortSignal.any([signal, clock2]), expired };
}
var INTERRUPTED, LONGEST_TIMER;
var init_local = __esm({
  "src/engine/local.ts"() {
    "use strict";
    INTERRUPTED = { kind: "interrupted", reason: "cancelled" };
    LONGEST_TIMER = 2 ** 31 - 1;
  }
});

// src/stream/write-all.ts
function writeAll(file, bytes) {
  for (let done = 0; done < bytes.length; ) done += (0, import_node_fs25.writeSync)(file, bytes, done);
}
var import_node_fs25;
var init_write_all = __esm({
  "src/stream/write-all.ts"() {
    "use strict";
    import_node_fs25 = require("node:fs");
  }
});

// src/process/end-on-abort.ts
async function endOnAbort(trace, { signal, grace }, wait) {
  let ending = Promise.resolve(true);
  const end3 = () => {
    ending = endRun(trace, grace);
  };
  signal.addEventListener("abort", end3, { once: true });
  if (signal.aborted) end3();
  try {
    const result = await wait();
    await ending;
    return result;
  } finally {
    signal.removeEventListener("abort", end3);
  }
}
var init_end_on_abort = __esm({
  "src/process/end-on-abort.ts"() {
    "use strict";
    init_end();
  }
});

// src/process/launch.ts
async function launch(spec, place) {
  const { containment, folder, mark: mark2 } = spec;
  const leaf = containment.level === "cgroup" ? leafPath(containment.home, mark2) : null;
  const plan = { v: 1, rung: containment.level, mark: mark2, leaf };
  writePlan(folder, plan);
  if (leaf !== null) makeLeaf(leaf);
  const files = [];
  const open = (path, flags) => {
    const file = (0, import_node_fs26.openSync)((0, import_node_path30.resolve)(folder, path), flags, 384);
    files.push(file);
    return file;
  };
  try {
    const stdin = spec.stdin === void 0 ? "ignore" : open(spec.stdin, "r");
    const stdout = typeof spec.stdout === "number" ? spec.stdout : open(spec.stdout, "a");
    const stderr = typeof spec.stderr === "number" ? spec.stderr : open(spec.stderr, "a");
    const [command, ...args] = wrapped(spec);
    const { cwd, env } = spec;
    const start = () => (0, import_node_child_process5.spawn)(command, args, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: markedEnvironment(env[MARK_VARIABLE], mark2) },
      // A session, and so a group, of its own.
      detached: true,
      stdio: [stdin, stdout, stderr]
    });
    const child = startOrSay(
      command,
      containment.level === "cgroup" && leaf !== null ? () => bornInside(containment.home, leaf, start) : start
    );
    const exited = exitOf(child);
    if (child.pid === void 0) throw await exited.then(() => new Error("a program without a pid"));
    const leader = leaf === null ? identify(child.pid, place) : null;
    if (leader !== null) writeLeader(folder, mark2, leader);
    return { pid: child.pid, trace: { plan, leader }, exited };
  } catch (error) {
    if (leaf !== null) removeLeafIfEmpty(leaf);
    throw error;
  } finally {
    for (const file of files) (0, import_node_fs26.closeSync)(file);
  }
}
function startOrSay(command, start) {
  try {
    return start();
  } catch (error) {
    throw new LaunchError(command, error instanceof Error ? error : new Error(String(error)));
  }
}
function wrapped(spec) {
  const contained = spec.containment.level === "pid-namespace" ? inPidNamespace(spec.argv, spec.containment.asRoot, spec.grace) : spec.argv;
  return spec.tethered === true ? ["setpriv", "--pdeathsig", "KILL", "--", ...contained] : contained;
}
function exitOf(child) {
  return new Promise((resolve21, reject) => {
    child.once("error", (cause) => reject(new LaunchError(child.spawnfile, cause)));
    child.once("exit", (code, signal) => {
      resolve21(code === null ? { by: "signal", signal: signal ?? "unknown" } : { by: "code", code });
    });
  });
}
var import_node_child_process5, import_node_fs26, import_node_path30, LaunchError;
var init_launch = __esm({
  "src/process/launch.ts"() {
    "use strict";
    import_node_child_process5 = require("node:child_process");
    import_node_fs26 = require("node:fs");
    import_node_path30 = require("node:path");
    init_cgroup();
    init_mark();
    init_pid_namespace();
    init_identity();
    init_trace();
    LaunchError = class extends Error {
      constructor(argv0, cause) {
        super(`cannot start ${argv0}: ${cause.message}`, { cause });
      }
    };
  }
});

// src/process/pipe.ts
function openPipe(path) {
  const { status, stderr, error } = (0, import_node_child_process6.spawnSync)("mkfifo", ["-m", "600", path], { encoding: "utf8" });
  if (error !== void 0) {
    const hint = "Install it (it is part of coreutils), or add its folder to PATH.";
    throw new RalphError("PIPE", `mkfifo cannot be run: ${reasonOf(error)}`, { hint, exitCode: 2 });
  }
  if (status !== 0) throw new RalphError("PIPE", `cannot make the pipe ${path}: ${stderr.trim()}`, { exitCode: 2 });
  try {
    const reader = (0, import_node_fs27.openSync)(path, import_node_fs27.constants.O_RDONLY | import_node_fs27.constants.O_NONBLOCK);
    const writer = (0, import_node_fs27.openSync)(path, import_node_fs27.constants.O_WRONLY);
    let isOpen = true;
    return {
      writer,
      reader: new import_node_net.Socket({ fd: reader, readable: true, writable: false }),
      closeWriter() {
        if (isOpen) (0, import_node_fs27.closeSync)(writer);
        isOpen = false;
      }
    };
  } finally {
    (0, import_node_fs27.rmSync)(path, { force: true });
  }
}
var import_node_child_process6, import_node_fs27, import_node_net;
var init_pipe = __esm({
  "src/process/pipe.ts"() {
    "use strict";
    import_node_child_process6 = require("node:child_process");
    import_node_fs27 = require("node:fs");
    import_node_net = require("node:net");
    init_error();
    init_system_fault();
  }
});

// src/process/command.ts
async function runToFile(run, host) {
  const { output } = run;
  const launched = await launch({ ...specOf(run, host), stdout: output, stderr: output }, host.place);
  const exit = await seeToEnd(launched, run, host);
  return run.signal.aborted ? null : exit;
}
async function runThroughPipe(run, host) {
  const file = openOutput(run.output);
  const pipe2 = openPipe(fileOf2(run, "pipe"));
  try {
    const spec = { ...specOf(run, host), stdout: pipe2.writer, stderr: pipe2.writer };
    const launched = await launch(spec, host.place);
    pipe2.closeWriter();
    const copied = copyTo(file, pipe2.reader, launched, run);
    const exit = await seeToEnd(launched, run, host);
    await copied.done();
    return run.signal.aborted ? null : exit;
  } finally {
    pipe2.closeWriter();
    pipe2.reader.destroy();
    (0, import_node_fs28.closeSync)(file);
  }
}
function openOutput(path) {
  const there = (0, import_node_fs28.lstatSync)(path, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() === true || there?.isFIFO() === true) (0, import_node_fs28.rmSync)(path, { force: true });
  return openForWriting(path, { mode: 384 });
}
function refusalsOf(run) {
  return fileOf2(run, "refused");
}
function fileOf2({ folder, mark: mark2 }, ending) {
  return (0, import_node_path31.join)(folder, `${mark2.replaceAll(/[^\w.-]/g, "-")}.${ending}`);
}
function specOf(run, host) {
  const { cwd, folder, mark: mark2, extraEnv, grace } = run;
  const enclosure = run.outside === true ? void 0 : host.enclosure;
  const argv = enclosure?.enclose(run.argv, { refusals: refusalsOf(run) }) ?? run.argv;
  const env = { ...host.env, ...enclosure?.env, ...extraEnv };
  return { argv, cwd, env, folder, mark: mark2, grace, containment: host.containment };
}
async function seeToEnd({ exited, trace }, run, { enclosure }) {
  const exit = await endOnAbort(trace, run, () => exited);
  await sweep(trace, run.grace);
  if (run.signal.aborted && run.outside !== true) await enclosure?.sweep?.();
  return exit;
}
function copyTo(file, reader, { trace }, run) {
  let problem = null;
  reader.on("data", (chunk) => {
    if (problem !== null) return;
    try {
      writeAll(file, chunk);
    } catch (error) {
      problem = { error: named2(error, run.output) };
      void endRun(trace, run.grace);
    }
  });
  const closed = (0, import_promises3.finished)(reader, { writable: false }).catch(brokenOff);
  return {
    async done() {
      await Promise.race([closed, (0, import_promises4.setTimeout)(LAST_OUTPUT_TAKES_AT_MOST, void 0, { ref: false })]);
      if (problem !== null) throw problem.error;
    }
  };
}
function brokenOff() {
}
async function endCutOff(folder, marks, grace) {
  const trace = lastTrace(folder, marks);
  if (trace !== null) await endRun(trace, grace);
}
async function awaitCutOff(folder, marks, atMost, grace) {
  const trace = lastTrace(folder, marks);
  if (trace === null) return;
  const deadline = performance.now() + atMost;
  while (!isGone(trace)) {
    if (performance.now() > deadline) {
      await endRun(trace, grace);
      return;
    }
    await (0, import_promises4.setTimeout)(10);
  }
}
function lastTrace(folder, marks) {
  for (const mark2 of marks.toReversed()) {
    const trace = readTrace(folder, mark2);
    if (trace !== null) return trace;
  }
  return null;
}
var import_node_fs28, import_node_path31, import_promises3, import_promises4, LAST_OUTPUT_TAKES_AT_MOST;
var init_command = __esm({
  "src/process/command.ts"() {
    "use strict";
    import_node_fs28 = require("node:fs");
    import_node_path31 = require("node:path");
    import_promises3 = require("node:stream/promises");
    import_promises4 = require("node:timers/promises");
    init_system_fault();
    init_write_all();
    init_end();
    init_end_on_abort();
    init_files();
    init_launch();
    init_pipe();
    init_trace();
    LAST_OUTPUT_TAKES_AT_MOST = 1e3;
  }
});

// src/stream/mask-file.ts
function maskFile(path, mask) {
  (0, import_node_fs29.lstatSync)(path);
  let isClean = true;
  eachBlock(path, (block) => {
    isClean &&= masked(block, mask).equals(block);
  });
  if (isClean) return;
  const next2 = `${path}.masked`;
  (0, import_node_fs29.rmSync)(next2, { force: true });
  const target = (0, import_node_fs29.openSync)(next2, "wx", 384);
  try {
    eachBlock(path, (block) => writeAll(target, masked(block, mask)));
    (0, import_node_fs29.renameSync)(next2, path);
  } finally {
    (0, import_node_fs29.closeSync)(target);
    (0, import_node_fs29.rmSync)(next2, { force: true });
  }
}
function openToRead(path) {
  if ((0, import_node_fs29.lstatSync)(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const file = (0, import_node_fs29.openSync)(path, import_node_fs29.constants.O_RDONLY | import_node_fs29.constants.O_NONBLOCK | import_node_fs29.constants.O_NOFOLLOW);
  if ((0, import_node_fs29.fstatSync)(file).isFile()) return file;
  (0, import_node_fs29.closeSync)(file);
  return null;
}
function masked(block, mask) {
  const encoding = (0, import_node_buffer.isUtf8)(block) ? "utf8" : "latin1";
  return Buffer.from(mask(block.toString(encoding)), encoding);
}
function eachBlock(path, take3) {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = openToRead(path);
  if (file === null) return;
  try {
    let rest = Buffer.alloc(0);
    for (let bytes = (0, import_node_fs29.readSync)(file, buffer); bytes > 0; bytes = (0, import_node_fs29.readSync)(file, buffer)) {
      const block = Buffer.concat([rest, buffer.subarray(0, bytes)]);
      const end3 = block.length > 2 * BLOCK_BYTES ? block.length : block.lastIndexOf(LF2) + 1;
      take3(block.subarray(0, end3));
      rest = block.subarray(end3);
    }
    take3(rest);
  } finally {
    (0, import_node_fs29.closeSync)(file);
  }
}
var import_node_buffer, import_node_fs29, BLOCK_BYTES, LF2;
var init_mask_file = __esm({
  "src/stream/mask-file.ts"() {
    "use strict";
    import_node_buffer = require("node:buffer");
    import_node_fs29 = require("node:fs");
    init_write_all();
    BLOCK_BYTES = 4 * 1024 * 1024;
    LF2 = 10;
  }
});

// src/checks/tree-fingerprint.ts
function treeFingerprint(root) {
  const found = [];
  const pending = [""];
  try {
    for (let folder = pending.pop(); folder !== void 0; folder = pending.pop()) {
      for (const entry of (0, import_node_fs30.readdirSync)((0, import_node_path32.join)(root, folder), { withFileTypes: true })) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (NOT_WORK.test(path)) continue;
        if (entry.isDirectory()) pending.push(path);
        const { size, mode, mtimeMs } = (0, import_node_fs30.lstatSync)((0, import_node_path32.join)(root, path));
        found.push(entry.isDirectory() ? path : `${path}\0${size}\0${mode}\0${mtimeMs}`);
        if (found.length > MOST_ENTRIES) return void 0;
      }
    }
  } catch {
    return void 0;
  }
  return digestOf(found.sort().join("\n"));
}
var import_node_fs30, import_node_path32, MOST_ENTRIES, NOT_WORK;
var init_tree_fingerprint = __esm({
  "src/checks/tree-fingerprint.ts"() {
    "use strict";
    import_node_fs30 = require("node:fs");
    import_node_path32 = require("node:path");
    init_digest();
    MOST_ENTRIES = 5e4;
    NOT_WORK = /^(?:\.git|\.ralph\/guardrail_[^/]*\.log)$/;
  }
});

// src/checks/command.ts
async function runCommandCheck(run, host) {
  const { check, cwd } = run;
  const output = (0, import_node_path33.resolve)(cwd, check.log);
  makeLogFolder((0, import_node_path33.dirname)(output), cwd);
  const began = performance.now();
  const seen = await runThroughPipe({ ...run, argv: shellCommand(check.command, process.platform), output }, host);
  const exit = seen ?? run.expired();
  if ((0, import_node_fs31.existsSync)(output)) maskFile(output, host.mask);
  if (exit === null) return null;
  const outcome = withTree(outcomeOfCommand(exit), cwd);
  const keep = check.keeps === "end" ? tailOf : headOf2;
  const kept2 = outcome.is === "passed" ? { output: "", truncated: false } : keep(output, check.keepChars);
  return {
    index: check.index,
    outcome,
    log: check.log,
    ...kept2,
    durationMs: Math.round(performance.now() - began)
  };
}
function withTree(outcome, cwd) {
  if (outcome.is !== "unrunnable") return outcome;
  const tree = treeFingerprint(cwd);
  return tree === void 0 ? outcome : { ...outcome, tree };
}
function makeLogFolder(folder, cwd) {
  const nowhere = whyNoFolder(cwd);
  if (nowhere !== null)
    throw new RalphError("WORK_TREE", nowhere.reason, { hint: `${nowhere.hint} Then run: ralph resume`, exitCode: 2 });
  try {
    makeFolders(folder);
  } catch (error) {
    throw new RalphError("LOG_FOLDER", `cannot create .ralph directory: ${reasonOf(error)}`, {
      hint: "Make room for it, then: ralph resume",
      exitCode: 2
    });
  }
}
function shellCommand(command, platform3) {
  return platform3 === "win32" ? ["cmd", "/c", command] : ["sh", "-c", command];
}
function headOf2(path, chars) {
  const { bytes, isWhole } = partOf(path, chars, "start");
  const characters = [...new TextDecoder().decode(bytes, { stream: !isWhole })];
  return { output: characters.slice(0, chars).join(""), truncated: !isWhole || characters.length > chars };
}
function tailOf(path, chars) {
  const { bytes, isWhole } = partOf(path, chars, "end");
  const first = isWhole ? 0 : bytes.findIndex((byte) => (byte & 192) !== 128);
  const characters = [...new TextDecoder().decode(bytes.subarray(Math.max(first, 0)))];
  return { output: characters.slice(-chars).join(""), truncated: !isWhole || characters.length > chars };
}
function partOf(path, chars, which) {
  const file = openToRead(path);
  if (file === null) return { bytes: Buffer.alloc(0), isWhole: true };
  try {
    const { size } = (0, import_node_fs31.fstatSync)(file);
    const buffer = Buffer.alloc(Math.min(chars * 4 + 4, size));
    const read = (0, import_node_fs31.readSync)(file, buffer, 0, buffer.length, which === "start" ? 0 : size - buffer.length);
    return { bytes: buffer.subarray(0, read), isWhole: read >= size };
  } finally {
    (0, import_node_fs31.closeSync)(file);
  }
}
var import_node_fs31, import_node_path33;
var init_command2 = __esm({
  "src/checks/command.ts"() {
    "use strict";
    import_node_fs31 = require("node:fs");
    import_node_path33 = require("node:path");
    init_check();
    init_error();
    init_system_fault();
    init_command();
    init_files();
    init_mask_file();
    init_tree_fingerprint();
  }
});

// src/checks/index.ts
var CHECKS, runCheck;
var init_checks = __esm({
  "src/checks/index.ts"() {
    "use strict";
    init_command2();
    CHECKS = {
      command: runCommandCheck
    };
    runCheck = (run, host) => CHECKS[run.check.kind](run, host);
  }
});

// src/runners/sandbox/refusals.ts
function keepRefusal(file, refusal) {
  appendFile(file, `${JSON.stringify(refusal)}
`, { mode: 384 });
}
function readRefusals(file) {
  try {
    return (0, import_node_fs32.readFileSync)(file, "utf8").split("\n").flatMap(parseRefusal);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
function parseRefusal(line) {
  if (line === "") return [];
  try {
    const parsed2 = JSON.parse(line);
    return isRefusal(parsed2) ? [parsed2] : [];
  } catch {
    return [];
  }
}
function isRefusal(value) {
  if (value === null || typeof value !== "object") return false;
  const { what, target, allow, kept: kept2 = "" } = value;
  return (what === "write" || what === "connect") && [target, allow, kept2].every((word) => typeof word === "string");
}
function describeRefusal({ what, target, allow, kept: kept2 }) {
  if (kept2 !== void 0) {
    return `put aside ${target}, which something outside would obey: ${kept2} (to allow it: --allow-write ${quoteWord(allow)})`;
  }
  if (what === "write") return `refused to write ${target} (to allow it: --allow-write ${quoteWord(allow)})`;
  return `refused to connect to ${target} (to allow it: --allow-host ${quoteWord(allow)})`;
}
var import_node_fs32;
var init_refusals = __esm({
  "src/runners/sandbox/refusals.ts"() {
    "use strict";
    import_node_fs32 = require("node:fs");
    init_error();
    init_quote_word();
    init_files();
  }
});

// src/core/git-status.ts
function workStateFrom({ ok, stdout, stderr }) {
  if (!ok) {
    if (/not a git repository/i.test(stderr)) return { kind: "no-repository" };
    const [reason = ""] = stderr.trim().split("\n");
    return { kind: "unknown", reason: reason === "" ? "git could not be asked" : reason };
  }
  const entries = stdout.split("\0");
  const head = entries.find((entry) => entry.startsWith("# branch.oid "))?.slice("# branch.oid ".length) ?? "(initial)";
  const { files, own: own2 } = changedFiles(entries);
  if (files > 0 || head === "(initial)") return { kind: "uncommitted", files };
  return { kind: "committed", commit: head, ...own2 > 0 ? { except: ".ralph/" } : {} };
}
function changedFiles(entries) {
  let files = 0;
  let own2 = 0;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? "";
    const kind = entry.slice(0, 2);
    if (kind === "2 ") index++;
    if (!["1 ", "2 ", "u ", "? "].includes(kind)) continue;
    if (OWN_FILES.test(pathOf2(entry))) own2++;
    else files++;
  }
  return { files, own: own2 };
}
function pathOf2(entry) {
  const fields = { "1": 8, "2": 9, u: 10, "?": 1 };
  return entry.split(" ").slice(fields[entry[0] ?? ""] ?? 0).join(" ");
}
var STATUS_ARGS, OWN_FILES;
var init_git_status = __esm({
  "src/core/git-status.ts"() {
    "use strict";
    STATUS_ARGS = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal"];
    OWN_FILES = /(^|\/)\.ralph\//;
  }
});

// src/scm/git.ts
function git(args, cwd, env, enclose) {
  return runProgram(["git", "--no-optional-locks", ...args], cwd, env, enclose);
}
function runProgram(argv, cwd, env, enclose = (whole) => whole) {
  const [program2 = "", ...rest] = enclose(argv);
  return new Promise((resolve21) => {
    (0, import_node_child_process7.execFile)(program2, rest, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve21({ ok: error === null, stdout, stderr });
    });
  });
}
function gitIn(cwd, env, enclose) {
  return (args) => git(args, cwd, env, enclose);
}
async function headCommit(look2) {
  const { ok, stdout } = await look2(["rev-parse", "--verify", "--quiet", "HEAD"]);
  return ok ? stdout.trim() : null;
}
async function untrackedFiles(look2) {
  const { ok, stdout } = await look2(["ls-files", "--others", "--exclude-standard", "-z"]);
  return ok ? stdout.split("\0").filter((path) => path !== "" && !OWN_FILES.test(path)) : [];
}
async function stageAll(look2) {
  await look2(["add", "--all"]);
}
var import_node_child_process7;
var init_git = __esm({
  "src/scm/git.ts"() {
    "use strict";
    import_node_child_process7 = require("node:child_process");
    init_git_status();
  }
});

// src/scm/publish.ts
async function publish(run, host) {
  const marks = run.cutOff.map(({ mark: mark2 }) => mark2);
  await awaitCutOff(run.folder, marks, LET_FINISH, run.grace);
  const { what } = run;
  if (what.task !== "commit") return outward(run, host);
  return (0, import_node_path34.basename)(what.command) === "git" ? commit(run, host) : runTask(run, ["commit", "-am", what.message], host);
}
async function outward(run, host) {
  const { what } = run;
  if (host.enclosure === void 0) return runTask(run, [what.task], host);
  const problem = host.enclosure.outsideProblem();
  if (problem !== null) return published(what, "failed", `${what.command} ${what.task} is not run: ${problem}`);
  return runTask(
    { ...run, extraEnv: { ...run.extraEnv, ...withoutHooks(host.env) }, outside: true },
    [what.task],
    host
  );
}
function withoutHooks(env) {
  const next2 = Number(env.GIT_CONFIG_COUNT) || 0;
  return {
    GIT_CONFIG_COUNT: String(next2 + 1),
    [`GIT_CONFIG_KEY_${next2}`]: "core.hooksPath",
    [`GIT_CONFIG_VALUE_${next2}`]: "/dev/null"
  };
}
async function hasNothingToCommit({ command, stage }, run, host) {
  if ((0, import_node_path34.basename)(command) !== "git") return false;
  const { ok, stdout } = await lookOf(run, host)(["status", "--porcelain", UNTRACKED[stage]]);
  return ok && stdout === "";
}
function lookOf(run, { env, enclosure }) {
  if (enclosure === void 0) return gitIn(run.cwd, env);
  const files = { refusals: refusalsOf(run) };
  return gitIn(run.cwd, { ...env, ...enclosure.env }, (argv) => enclosure.enclose(argv, files));
}
async function commit(run, host) {
  const { what } = run;
  const look2 = lookOf(run, host);
  const head = await headCommit(look2);
  if (await alreadyMade(run, head, host)) return published(what, "done", head ?? "");
  if (what.stage === "all") await stageAll(look2);
  if (await hasNothingToCommit({ command: what.command, stage: "tracked" }, run, host))
    return withLeftBehind(published(what, "nothing", "nothing to commit"), run, host);
  writeFile(baseFile(run.folder, run.name), head ?? "", { mode: 384 });
  const result = await runTask(run, ["commit", what.stage === "all" ? "-m" : "-am", what.message], host);
  if (result?.status !== "done") return result;
  return withLeftBehind(published(what, "done", await headCommit(look2) ?? ""), run, host);
}
async function withLeftBehind(done, run, host) {
  const untracked = await untrackedFiles(lookOf(run, host));
  return untracked.length === 0 ? done : { ...done, leftBehind: { count: untracked.length, names: untracked.slice(0, MOST_NAMES) } };
}
async function alreadyMade(run, head, host) {
  const base = run.cutOff.map(({ name }) => baseOf2(run.folder, name)).findLast((commit2) => commit2 !== null);
  if (base === void 0 || head === null || head === base) return false;
  const { stdout } = await lookOf(run, host)(["log", "-1", "--format=%B"]);
  return tidied(stdout) === tidied(run.what.message);
}
function tidied(message) {
  return message.replaceAll(/[ \t]+$/gm, "").replaceAll(/\n{3,}/g, "\n\n").trim();
}
async function runTask(run, args, host) {
  const { what } = run;
  const output = (0, import_node_path34.join)(run.folder, `${run.name}.out`);
  let exit;
  try {
    exit = await runToFile({ ...run, argv: [what.command, ...args], output }, host);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    return published(what, "failed", error.message);
  }
  if (exit === null) return null;
  if (exit.by === "code" && exit.code === 0) return published(what, "done", "");
  const said = host.mask((0, import_node_fs33.readFileSync)(output, "utf8").trim().slice(0, 2e3));
  return published(
    what,
    "failed",
    `${what.command} ${what.task}: ${describeExit(exit)}${said === "" ? "" : `: ${said}`}`
  );
}
function published(what, status, detail) {
  return { index: what.index, task: what.task, status, detail };
}
function baseFile(folder, name) {
  return (0, import_node_path34.join)(folder, `${name}.base`);
}
function baseOf2(folder, name) {
  try {
    return (0, import_node_fs33.readFileSync)(baseFile(folder, name), "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
var import_node_fs33, import_node_path34, MOST_NAMES, LET_FINISH, UNTRACKED;
var init_publish = __esm({
  "src/scm/publish.ts"() {
    "use strict";
    import_node_fs33 = require("node:fs");
    import_node_path34 = require("node:path");
    init_error();
    init_outcome();
    init_command();
    init_files();
    init_launch();
    init_git();
    MOST_NAMES = 10;
    LET_FINISH = 12e4;
    UNTRACKED = { tracked: "--untracked-files=no", all: "--untracked-files=normal" };
  }
});

// src/engine/perform-command.ts
async function performCheck(local, action, at) {
  const { key, check } = action;
  const claim3 = claimAttempt(local.loop.folder, key);
  const marks = claim3.cutOff.map(({ attempt }) => markOf(local.loop.id, key, attempt));
  await endCutOff(claim3.folder, marks, local.grace);
  const limit = timeLimit(check.timeoutMs, at.signal);
  const run = { check, ...commandOf(local, key, claim3), signal: limit.signal, expired: limit.expired };
  const checked = await runCheck(run, local.host);
  if (checked === null) return { attempt: claim3.attempt, result: INTERRUPTED };
  const refused2 = readRefusals(refusalsOf(run)).map(describeRefusal);
  const told3 = refused2.length === 0 ? {} : { refused: refused2 };
  return { attempt: claim3.attempt, result: { kind: "checked", ...checked, ...told3 } };
}
async function performPublish(local, action, at) {
  const { key, what } = action;
  const claim3 = claimAttempt(local.loop.folder, key);
  const cutOff2 = claim3.cutOff.map(({ name, attempt }) => ({ name, mark: markOf(local.loop.id, key, attempt) }));
  const done = await publish({ what, cutOff: cutOff2, ...commandOf(local, key, claim3), signal: at.signal }, local.host);
  return { attempt: claim3.attempt, result: done === null ? INTERRUPTED : { kind: "published", ...done } };
}
function commandOf({ cwd, grace, loop }, key, { folder, name, attempt }) {
  const mark2 = markOf(loop.id, key, attempt);
  return { cwd, folder, name, grace, mark: mark2, extraEnv: keyEnvironment(loop.id, key, attempt) };
}
var init_perform_command = __esm({
  "src/engine/perform-command.ts"() {
    "use strict";
    init_checks();
    init_command();
    init_refusals();
    init_publish();
    init_run_files();
    init_local();
  }
});

// src/agents/help.ts
function helpOf(adapter, program2, env) {
  if (adapter.helpArguments === void 0 || program2 === null) return null;
  const known = asked.get(program2);
  if (known !== void 0) return known;
  const { status, stdout } = (0, import_node_child_process8.spawnSync)(program2, adapter.helpArguments, {
    env: { ...adapter.environment, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: ANSWER_WITHIN_MS
  });
  const help = status === 0 ? stdout : null;
  asked.set(program2, help);
  return help;
}
var import_node_child_process8, ANSWER_WITHIN_MS, asked;
var init_help = __esm({
  "src/agents/help.ts"() {
    "use strict";
    import_node_child_process8 = require("node:child_process");
    ANSWER_WITHIN_MS = 2e4;
    asked = /* @__PURE__ */ new Map();
  }
});

// src/agents/judge.ts
function judgeRun(exit, { account: account2, brokeOff, fault }) {
  if (exit.by === "unseen" && account2 === null) {
    return { kind: "interrupted", reason: exit.wasRunning === true ? WAS_ENDED : ENDED_ALONE };
  }
  const succeeded = exit.by === "unseen" || exit.by === "code" && exit.code === 0;
  if (succeeded && account2?.isError !== true && !brokeOff) return { kind: "worked" };
  if (fault !== null) return fault;
  if (account2?.isError === true) return { kind: "failed", exit, reason: account2.reason ?? REPORTED };
  return succeeded ? { kind: "failed", exit, reason: BROKE_OFF } : { kind: "failed", exit };
}
var WAS_ENDED, ENDED_ALONE, REPORTED, BROKE_OFF;
var init_judge = __esm({
  "src/agents/judge.ts"() {
    "use strict";
    WAS_ENDED = "it was still running and was ended; it starts again";
    ENDED_ALONE = "it ended while nobody watched, without a final result";
    REPORTED = "it reported an error";
    BROKE_OFF = "its output broke off before its final result";
  }
});

// src/core/claims/tag.ts
function listenForTag(tag, multiline) {
  const open = new RegExp(`<${literally(tag)}>`, "gi");
  const close = new RegExp(`</${literally(tag)}>`, "gi");
  const openLength = tag.length + 2;
  const closeLength = tag.length + 3;
  let pending = "";
  let inside = -1;
  let searched = 0;
  let found = null;
  const findOpening = (from) => {
    open.lastIndex = from;
    const opening = open.exec(pending);
    if (opening === null) {
      const start = pending.lastIndexOf("<");
      pending = start >= Math.max(from, pending.length - openLength + 1) ? pending.slice(start) : "";
      inside = -1;
      return false;
    }
    inside = opening.index + openLength;
    searched = inside;
    return true;
  };
  const findClosing = () => {
    close.lastIndex = searched;
    const closing2 = close.exec(pending);
    const end3 = closing2?.index ?? pending.length;
    const lineBreak = multiline ? -1 : pending.indexOf("\n", searched);
    const isBroken = lineBreak >= 0 && lineBreak < end3;
    const isTooLong = end3 - inside > LONGEST_CONTENT + (closing2 === null ? closeLength - 1 : 0);
    if (isBroken || isTooLong) return findOpening(inside);
    if (closing2 !== null) found = pending.slice(inside, end3);
    else {
      searched = Math.max(inside, pending.length - closeLength + 1);
      pending = pending.slice(inside - openLength);
      searched -= inside - openLength;
      inside = openLength;
    }
    return false;
  };
  return {
    hear(text2) {
      if (found !== null || pending === "" && !text2.includes("<")) return;
      pending += text2;
      if (inside < 0 && !findOpening(0)) return;
      while (findClosing()) ;
    },
    heard: () => found,
    isWaiting: () => found === null && pending !== ""
  };
}
var LONGEST_CONTENT;
var init_tag = __esm({
  "src/core/claims/tag.ts"() {
    "use strict";
    init_literal();
    LONGEST_CONTENT = 64 * 1024;
  }
});

// src/core/claims/without-echo.ts
function withoutEcho(prompt2) {
  const expected2 = prompt2.replaceAll("\r\n", "\n").replaceAll(/^\n+|\n+$/g, "").split("\n");
  const [first = "", ...rest] = expected2;
  const last = rest.at(-1);
  if (first.trim() === "" && last === void 0)
    return { push: (line) => [line], mayConcern: () => false, end: () => [] };
  if (last === void 0) {
    return { push: (line) => [line.replaceAll(first, "")], mayConcern: () => false, end: () => [] };
  }
  const fallback = fallbacks(expected2);
  let held2 = [];
  const fits = (line, at) => {
    const wanted = expected2[at] ?? "";
    if (at === 0) return line.endsWith(wanted);
    return at === expected2.length - 1 ? line.startsWith(wanted) : line === wanted;
  };
  const push = (raw) => {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const released = [];
    while (held2.length > 0 && !fits(line, held2.length)) {
      const keep = fallback[held2.length - 1] ?? 0;
      released.push(...held2.splice(0, held2.length - keep));
    }
    if (!fits(line, held2.length)) return [...released, raw];
    held2.push(line);
    if (held2.length < expected2.length) return released;
    const [beginning = ""] = held2;
    const before = beginning.slice(0, beginning.length - first.length);
    held2 = [];
    return [...released, ...before === "" ? [] : [before], line.slice(last.length)];
  };
  return {
    push,
    mayConcern: (lines) => held2.length > 0 || lines.includes(first),
    end() {
      const unfinished = held2;
      held2 = [];
      return unfinished;
    }
  };
}
function fallbacks(lines) {
  const table = [0];
  for (let index = 1, length = 0; index < lines.length; ) {
    if (lines[index] === lines[length]) table[index++] = ++length;
    else if (length > 0) length = table[length - 1] ?? 0;
    else table[index++] = 0;
  }
  return table;
}
var init_without_echo = __esm({
  "src/core/claims/without-echo.ts"() {
    "use strict";
  }
});

// src/core/text/fence.ts
function isFence(line) {
  return /^(?:`{3,}|~{3,})[\w+-]*$/.test(line.trim());
}
var init_fence = __esm({
  "src/core/text/fence.ts"() {
    "use strict";
  }
});

// src/stream/decode.ts
function decodeUtf8(bytes) {
  if (bytes.length < SHORT) return bytes.toString("utf8");
  if ((0, import_node_buffer2.isAscii)(bytes)) return bytes.toString("latin1");
  return (0, import_node_buffer2.isUtf8)(bytes) ? (0, import_node_buffer2.transcode)(bytes, "utf8", "ucs2").toString("ucs2") : bytes.toString("utf8");
}
var import_node_buffer2, SHORT;
var init_decode = __esm({
  "src/stream/decode.ts"() {
    "use strict";
    import_node_buffer2 = require("node:buffer");
    SHORT = 1024;
  }
});

// src/stream/lines.ts
function lineSplitter(sink, limit = DEFAULT_LIMIT) {
  let parts = [];
  let held2 = 0;
  let skipping = false;
  const hold = (piece) => {
    if (skipping || piece.length === 0) return;
    parts.push(Buffer.from(piece));
    held2 += piece.length;
    if (held2 <= limit) return;
    sink.onLongLine?.(Buffer.concat(parts));
    parts = [];
    held2 = 0;
    skipping = true;
  };
  const emit = (last) => {
    if (skipping) {
      skipping = false;
      return;
    }
    if (held2 === 0) {
      sink.onLine(last);
      return;
    }
    parts.push(last);
    const line = Buffer.concat(parts, held2 + last.length);
    parts = [];
    held2 = 0;
    sink.onLine(line);
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end3 = chunk.indexOf(LF3); end3 >= 0; end3 = chunk.indexOf(LF3, start)) {
        emit(chunk.subarray(start, end3));
        start = end3 + 1;
      }
      hold(chunk.subarray(start));
    },
    /** The stream is over: what is held is a last line without its LF. */
    end() {
      if (held2 > 0) emit(Buffer.alloc(0));
      skipping = false;
    }
  };
}
var LF3, DEFAULT_LIMIT;
var init_lines = __esm({
  "src/stream/lines.ts"() {
    "use strict";
    LF3 = 10;
    DEFAULT_LIMIT = 32 * 1024 * 1024;
  }
});

// src/stream/text-lines.ts
function textSplitter({ onLine, skip, onLongLine }, limit) {
  const take3 = (line) => {
    if (skip?.(line) !== true) onLine(decodeUtf8(line));
  };
  const cut3 = lineSplitter({ onLine: take3, ...onLongLine === void 0 ? {} : { onLongLine } }, limit);
  const takeAll = (lines) => {
    if (skip?.(lines) === true) return;
    const text2 = decodeUtf8(lines);
    for (let start = 0; start < text2.length; ) {
      const end3 = text2.indexOf("\n", start);
      onLine(text2.slice(start, end3));
      start = end3 + 1;
    }
  };
  return {
    push(chunk) {
      const begin2 = chunk.indexOf(LF4) + 1;
      const end3 = chunk.lastIndexOf(LF4) + 1;
      cut3.push(begin2 === 0 ? chunk : chunk.subarray(0, begin2));
      for (let start = begin2; start < end3; ) {
        const stop = endOfLines(chunk, start, end3);
        takeAll(chunk.subarray(start, stop));
        start = stop;
      }
      if (begin2 > 0) cut3.push(chunk.subarray(end3));
    },
    end: () => cut3.end()
  };
}
function endOfLines(chunk, start, end3) {
  if (end3 - start <= DECODED_AT_ONCE) return end3;
  const last = chunk.lastIndexOf(LF4, start + DECODED_AT_ONCE - 1);
  return (last >= start ? last : chunk.indexOf(LF4, start)) + 1;
}
var LF4, DECODED_AT_ONCE;
var init_text_lines = __esm({
  "src/stream/text-lines.ts"() {
    "use strict";
    init_decode();
    init_lines();
    LF4 = 10;
    DECODED_AT_ONCE = 32 * 1024;
  }
});

// src/agents/run-output-reader.ts
function hear(parser, listen, prompt2, audience) {
  const tag = listenForTag(listen.tag, listen.multiline);
  const echo = parser.hasStructure ? null : withoutEcho(prompt2);
  let firstLine2 = null;
  let account2 = null;
  let hasSpoken = false;
  let fault = null;
  let toolCalls = 0;
  let lastLine = null;
  let firstError = null;
  const hearStderr = (line) => {
    if (line.trim() === "") return;
    lastLine = line;
    if (/^\W*(?:\w+: )?error\b/i.test(line)) firstError ??= line;
  };
  const hearText = (text2) => {
    firstLine2 ??= firstLineOf(text2);
    tag.hear(text2);
    tag.hear("\n");
  };
  const take3 = (event) => {
    hasSpoken ||= event.type !== "unknown" && event.type !== "stderr";
    if (event.type === "tool-start") toolCalls++;
    if (event.type === "fault") fault = graver(fault, event.fault);
    else if (event.type === "text" || event.type === "tool-start") fault = null;
    if (event.type === "text") {
      for (const text2 of echo === null ? [event.text] : echo.push(event.text)) hearText(text2);
    } else if (event.type === "result") {
      const { type: _, ...rest } = event;
      account2 = { ...rest, text: rest.text.slice(0, LONGEST_RECORDED_TEXT) };
    }
    if (audience.watches || isWarning(event)) audience.show(event);
  };
  const isSilence = (lines2) => !audience.watches && firstLine2 !== null && !lines2.includes(LESS_THAN) && !tag.isWaiting() && echo?.mayConcern(lines2) === false;
  const lines = textSplitter({
    skip: isSilence,
    onLine: (line) => {
      for (const event of parser.parse(line)) take3(event);
    },
    onLongLine: (head) => take3({ type: "unknown", raw: head.toString("utf8", 0, 1e3) })
  });
  return {
    push: (chunk) => lines.push(chunk),
    pushStderr(line) {
      hearStderr(line);
      for (const event of parser.parseStderr?.(line) ?? [{ type: "stderr", text: line }]) take3(event);
    },
    end() {
      lines.end();
      for (const event of parser.end?.() ?? []) take3(event);
      for (const text2 of echo?.end() ?? []) hearText(text2);
      return {
        // A structured account holds the agent's last words; what it said on the way is not its answer.
        said: { tag: tag.heard(), firstLine: firstLineOf(account2?.text ?? "") ?? firstLine2 },
        account: account2,
        complaint: shortenedOrNull(firstError ?? lastLine),
        brokeOff: parser.hasStructure && hasSpoken && account2 === null,
        fault,
        toolCalls: parser.hasStructure ? toolCalls : null
      };
    }
  };
}
function shortenedOrNull(line) {
  return line === null ? null : shortened(line);
}
function graver(before, now2) {
  return before !== null && gravity(before) > gravity(now2) ? before : now2;
}
function gravity(fault) {
  if (fault.kind === "infrastructure") return 0;
  return fault.kind === "limit" && fault.resetAt === null ? 1 : 2;
}
function firstLineOf(text2) {
  return text2.split("\n").map((line) => line.trim()).find((line) => line !== "" && !isFence(line)) ?? null;
}
function isWarning({ type }) {
  return type === "stderr" || type === "notice" || type === "fault";
}
var LONGEST_RECORDED_TEXT, LESS_THAN;
var init_run_output_reader = __esm({
  "src/agents/run-output-reader.ts"() {
    "use strict";
    init_tag();
    init_without_echo();
    init_fence();
    init_text_lines();
    init_api_fault();
    LONGEST_RECORDED_TEXT = 2e3;
    LESS_THAN = 60;
  }
});

// src/agents/unstartable.ts
function missingAgent(command, search) {
  const instead = whyNoProgram(command, search.path, search.cwd);
  const reason = instead === null ? `agent command not found: ${command}` : `agent command cannot be run: ${instead}`;
  return { reason, hint: startHint(command, search) };
}
function refuseForRoot(command, isRoot, env) {
  const { title, autonomy: autonomy2 = [], refusesRootUnless } = profileFor(command);
  if (refusesRootUnless === void 0 || !isRoot || isSet(env[refusesRootUnless])) return;
  throw new RalphError("ROOT", `${title} refuses ${autonomy2.join(" ")} to root`, {
    hint: `Run ralph as another user; or, in a container that may be lost, set ${refusesRootUnless}=1.`,
    exitCode: 2
  });
}
function isSet(value) {
  return value !== void 0 && !["", "0", "false", "no", "off"].includes(value.toLowerCase());
}
function startHint(command, { path, cwd, choosingHint }) {
  const [program2 = "", ...flags] = command.trim().split(/\s+/);
  if (flags.length > 0 && findProgram(program2, path, cwd) !== null) {
    return `The command is the program alone: "${program2}", with the flags ${JSON.stringify(flags)}.`;
  }
  const { install } = profileFor(command);
  const how = install === null ? "Install it" : `Install it (${install})`;
  return `${how}, or ${choosingHint ?? "set agent.command in .ralph/settings.json to the program you use."}`;
}
var init_unstartable = __esm({
  "src/agents/unstartable.ts"() {
    "use strict";
    init_error();
    init_which();
    init_agents();
  }
});

// src/runners/runner.ts
function transcriptOf(run) {
  return run.transcript ?? { folder: run.folder, stdout: outputName(run), stderr: stderrName(run) };
}
function outputName({ name }) {
  return `${name}.out`;
}
function stderrName({ name }) {
  return `${name}.err`;
}
var init_runner = __esm({
  "src/runners/runner.ts"() {
    "use strict";
  }
});

// src/engine/idle-limit.ts
function idleLimit(files, idleMs) {
  const quiet = new AbortController();
  const expired = () => quiet.signal.aborted && idleMs !== null ? { by: "timeout", afterMs: idleMs } : null;
  if (idleMs === null) return { signal: quiet.signal, expired, close: nothing2 };
  let size = sizeOf(files);
  let grewAt = performance.now();
  const look2 = () => {
    const now2 = performance.now();
    const next2 = sizeOf(files);
    if (next2 !== size) {
      size = next2;
      grewAt = now2;
    } else if (now2 - grewAt >= idleMs) {
      clearInterval(timer);
      quiet.abort();
    }
  };
  const timer = setInterval(look2, Math.min(LOOK_AT_LEAST_EVERY2, Math.max(LOOK_AT_MOST_EVERY, idleMs / 4)));
  return { signal: quiet.signal, expired, close: () => clearInterval(timer) };
}
function sizeOf(files) {
  return files.reduce((sum, file) => sum + ((0, import_node_fs34.statSync)(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
function nothing2() {
}
var import_node_fs34, LOOK_AT_LEAST_EVERY2, LOOK_AT_MOST_EVERY;
var init_idle_limit = __esm({
  "src/engine/idle-limit.ts"() {
    "use strict";
    import_node_fs34 = require("node:fs");
    LOOK_AT_LEAST_EVERY2 = 250;
    LOOK_AT_MOST_EVERY = 50;
  }
});

// src/engine/perform-run.ts
async function startRun(local, action) {
  const { cwd, host, runner, loop, artifacts, promptsOnStdin = false } = local;
  const { run, agent: agent2 } = action;
  const search = { path: host.env.PATH, cwd, choosingHint: local.choosingHint };
  const nowhere = whyNoFolder(cwd);
  if (nowhere !== null) return { kind: "unstartable", ...nowhere };
  const program2 = findProgram(agent2.command, host.env.PATH, cwd);
  if (program2 === null) return { kind: "unstartable", ...missingAgent(agent2.command, search) };
  const missing2 = runner.missing?.(cwd) ?? null;
  if (missing2 !== null) return { kind: "unstartable", ...missing2 };
  const key = runName(run);
  const { folder, name, isNew } = claimRun(loop.folder, key);
  const started = { kind: "started", handle: { runner: runner.name, name } };
  if (!isNew) return started;
  if (action.unlessClean !== void 0) {
    const mark2 = markOf(loop.id, key, 1);
    if (await hasNothingToCommit(action.unlessClean, { cwd, folder, mark: mark2 }, host)) return { kind: "needless" };
  }
  const kept2 = await artifacts?.open(run, name, action.prompt) ?? null;
  const prompt2 = (kept2?.prompt ?? action.prompt).replaceAll("\0", "�");
  const adapter = profileFor(agent2.command);
  const help = host.enclosure?.mayWrite(program2) === true ? null : helpOf(adapter, program2, host.env);
  const answerFile = (0, import_node_path35.join)(folder, answerName(name));
  const { argv, promptOnStdin: promptOnStdin2 } = adapter.commandLine({
    ...agent2,
    prompt: prompt2,
    help,
    answerFile,
    wantsStdin: promptsOnStdin,
    isEnclosed: host.enclosure !== void 0
  });
  const promptFile = kept2?.promptFile ?? promptName(name);
  if (kept2 === null && (promptOnStdin2 || !adapter.parser(agent2).hasStructure)) {
    writeFile((0, import_node_path35.join)(folder, promptFile), prompt2, { mode: 384 });
  }
  const env = { ...adapter.environment, ...host.env, ...kept2?.env, ...keyEnvironment(loop.id, key, 1) };
  const stdin = promptOnStdin2 ? { stdin: promptFile } : {};
  const place = kept2 === null ? {} : { transcript: kept2.transcript };
  try {
    const mark2 = markOf(loop.id, key, 1);
    const writes = argv.includes(answerFile) ? { writes: [answerFile] } : {};
    const { pid } = await runner.start({ folder, name, mark: mark2, argv, cwd, env, ...stdin, ...writes, ...place });
    await artifacts?.started(name, pid, argv);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    await artifacts?.refused(name, error.message);
    return { kind: "unstartable", reason: error.message, hint: startHint(agent2.command, search) };
  }
  return started;
}
async function awaitRun(local, action, at) {
  const { run, agent: agent2, handle, listen, limits } = action;
  const { name } = handle;
  const folder = runsFolder(local.loop.folder);
  const kept2 = local.artifacts?.find(name) ?? null;
  const place = kept2 === null ? {} : { transcript: kept2.transcript };
  const files = { folder, name, mark: markOf(local.loop.id, runName(run), 1), ...place };
  const output = transcriptOf(files);
  const limit = timeLimit(limits.timeMs, at.signal);
  const idle = idleLimit([(0, import_node_path35.join)(output.folder, output.stdout), (0, import_node_path35.join)(output.folder, output.stderr)], limits.idleMs);
  const parser = profileFor(agent2.command).parser(agent2);
  const promptFile = kept2?.promptFile ?? (0, import_node_path35.join)(folder, promptName(name));
  const prompt2 = parser.hasStructure ? "" : readPlain(promptFile) ?? "";
  const hopeless = new AbortController();
  const show = (event) => {
    at.progress(event);
    if (event.type === "fault" && event.isHopeless === true) hopeless.abort();
  };
  const hearing = hear(parser, listen, prompt2, { show, watches: agent2.mode === "stream" });
  const stderr = lineSplitter({ onLine: (line) => hearing.pushStderr(line.toString("utf8")) });
  let bytes = 0;
  let refusals = 0;
  const exit = await local.runner.await(files, {
    onOutput: (chunk) => {
      bytes += chunk.length;
      if (parser.answersInFile !== true) hearing.push(chunk);
    },
    onStderr: (chunk) => stderr.push(chunk),
    onRefusal: (text2) => {
      refusals++;
      at.progress({ type: "refusal", text: text2 });
    },
    ready: at.ready,
    signal: AbortSignal.any([limit.signal, idle.signal, hopeless.signal])
  });
  idle.close();
  stderr.end();
  if (!at.signal.aborted) refuseFull(output.folder, output.stdout);
  if (parser.answersInFile === true) hearing.push(readIfThere((0, import_node_path35.join)(folder, answerName(name))));
  const heard = hearing.end();
  await local.artifacts?.ended(name, { exit, cutOff: cutOff(at.signal, idle.expired(), limit.expired()), refusals });
  if (at.signal.aborted) return INTERRUPTED;
  const { said, account: account2, toolCalls, complaint } = heard;
  const outcome = judgeRun(limit.expired() ?? idle.expired() ?? exit, heard);
  const ran = {
    outcome,
    said,
    transcript: {
      path: kept2 === null ? (0, import_node_path35.join)("runs", outputFile(name)) : (0, import_node_path35.join)(output.folder, output.stdout),
      bytes
    },
    ...account2 === null ? {} : { account: account2 },
    ...idle.expired() === null ? {} : { endedBy: "inactivity" },
    ...toolCalls === null ? {} : { toolCalls },
    ...outcome.kind === "failed" && complaint !== null ? { complaint } : {},
    ...refusals === 0 ? {} : { refusals }
  };
  return { kind: "ran", ...ran };
}
function cutOff(cancel, idle, total) {
  if (cancel.aborted) return "cancelled";
  if (idle !== null) return "idle";
  return total === null ? null : "total";
}
function promptName(name) {
  return `${name}.prompt`;
}
function answerName(name) {
  return `${name}.answer`;
}
function readIfThere(path) {
  return (0, import_node_fs35.existsSync)(path) ? (0, import_node_fs35.readFileSync)(path) : Buffer.alloc(0);
}
var import_node_fs35, import_node_path35;
var init_perform_run = __esm({
  "src/engine/perform-run.ts"() {
    "use strict";
    import_node_fs35 = require("node:fs");
    import_node_path35 = require("node:path");
    init_help();
    init_agents();
    init_judge();
    init_run_output_reader();
    init_unstartable();
    init_keys();
    init_files();
    init_launch();
    init_which();
    init_runner();
    init_publish();
    init_plain_file();
    init_run_files();
    init_lines();
    init_idle_limit();
    init_local();
  }
});

// src/engine/waiting.ts
function waitFor({ until, consumed }, waiting2) {
  const { loop, now: now2, signal } = waiting2;
  const told3 = () => {
    if (signal.aborted) return { kind: "interrupted", reason: "told to stop while waiting" };
    const pending = pendingControl(loop, consumed);
    const command = pending === null ? void 0 : commandFor(pending.wanted, until);
    const said = {
      ...pending === null ? {} : { consumed: pending.upTo },
      ...command === void 0 ? {} : { command }
    };
    const isOver2 = until === "now" || until !== "command" && until <= now2();
    return command !== void 0 || isOver2 ? { kind: "waited", ...said } : null;
  };
  const atOnce = until === "now" ? told3() : null;
  return atOnce === null ? untilTold(told3, until, waiting2) : Promise.resolve(atOnce);
}
function untilTold(told3, until, { loop, now: now2, signal }) {
  return new Promise((resolve21, reject) => {
    let timer;
    const look2 = () => {
      try {
        const result = told3();
        clearTimeout(timer);
        if (result !== null) finish(() => resolve21(result));
        else if (typeof until === "number") timer = setTimeout(look2, Math.min(until - now2(), LONGEST_TIMER2));
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const finish = (settle) => {
      clearTimeout(timer);
      stopWatching();
      signal.removeEventListener("abort", look2);
      settle();
    };
    const stopWatching = watchControl(loop, look2);
    signal.addEventListener("abort", look2, { once: true });
    look2();
  });
}
function commandFor(wanted, until) {
  if (wanted === "stop") return "stop";
  if (until === "command") return wanted === "run" ? "resume" : void 0;
  return wanted === "pause" ? "pause" : void 0;
}
var LONGEST_TIMER2;
var init_waiting = __esm({
  "src/engine/waiting.ts"() {
    "use strict";
    init_control();
    LONGEST_TIMER2 = 2 ** 31 - 1;
  }
});

// src/engine/performers.ts
function localPerformers(local) {
  return {
    start: (action) => startRun(local, action),
    await: (action, at) => awaitRun(local, action, at),
    check: (action, at) => performCheck(local, action, at),
    publish: (action, at) => performPublish(local, action, at),
    wait: (action, { signal }) => waitFor(action, { loop: local.loop.folder, now: local.now, signal })
  };
}
function performerOf(performers2) {
  return async (action, at) => {
    switch (action.do) {
      case "read-inputs":
        return { result: performers2.readInputs(action), attempt: 1 };
      case "start":
        return { result: await performers2.start(action), attempt: 1 };
      case "await":
        return { result: await performers2.await(action, at), attempt: 1 };
      case "check":
        if (performers2.check === void 0) break;
        return performers2.check(action, at);
      case "publish":
        if (performers2.publish === void 0) break;
        return performers2.publish(action, at);
      case "step":
        return { result: await performStep(performers2.steps ?? {}, action, at), attempt: 1 };
      case "wait":
        return { result: await performers2.wait(action, at), attempt: 1 };
      case "end":
        break;
    }
    throw new Error(`nothing performs "${action.do}" here`);
  };
}
async function performStep(steps, { what, given, key }, at) {
  const step = steps[what];
  if (step === void 0) throw new Error(`nothing performs the step "${what}" here`);
  try {
    return { kind: "stepped", what, gave: await step(given, { ...at, key }) };
  } catch (error) {
    if (at.signal.aborted) return INTERRUPTED;
    throw error;
  }
}
var init_performers = __esm({
  "src/engine/performers.ts"() {
    "use strict";
    init_local();
    init_perform_command();
    init_perform_run();
    init_waiting();
  }
});

// src/state/held-folder.ts
function inHeldFolder(path, options, use) {
  const { root } = (0, import_node_path36.parse)(path);
  let handle = openFolder(root);
  let here = root;
  try {
    for (const name of (0, import_node_path36.relative)(root, path).split(import_node_path36.sep).filter(Boolean)) {
      const next2 = enter2(held(handle, here), name, { path: (0, import_node_path36.join)(here, name), ...options });
      (0, import_node_fs36.closeSync)(handle);
      handle = next2;
      here = (0, import_node_path36.join)(here, name);
    }
    return use(held(handle, here));
  } catch (error) {
    throw byPath(error, here);
  } finally {
    (0, import_node_fs36.closeSync)(handle);
  }
}
function appendPlain(path, text2, options = {}) {
  inHeldFolder((0, import_node_path36.dirname)(path), options, (folder) => {
    const file = (0, import_node_fs36.openSync)((0, import_node_path36.join)(folder, (0, import_node_path36.basename)(path)), O_WRONLY2 | O_APPEND2 | O_CREAT2 | O_NOFOLLOW2 | O_NONBLOCK2, 420);
    try {
      const stat = (0, import_node_fs36.fstatSync)(file);
      if (!stat.isFile() || stat.nlink > 1) throw inTheWay(path);
      naming(path, () => (0, import_node_fs36.writeSync)(file, text2));
    } finally {
      (0, import_node_fs36.closeSync)(file);
    }
  });
}
function clearEntry(path) {
  const there = (0, import_node_fs36.lstatSync)(path, { throwIfNoEntry: false });
  if (there === void 0) return;
  if (there.isDirectory()) (0, import_node_fs36.renameSync)(path, (0, import_node_path36.join)((0, import_node_path36.dirname)(path), `.${(0, import_node_path36.basename)(path)}.${(0, import_node_crypto5.randomUUID)()}.put-aside`));
  else (0, import_node_fs36.unlinkSync)(path);
}
function enter2(folder, name, { path, makes, clearsBelow }) {
  const isBelow = clearsBelow !== void 0 && path.startsWith(`${clearsBelow}${import_node_path36.sep}`);
  for (let tries = 1; ; tries++) {
    try {
      return openFolder((0, import_node_path36.join)(folder, name));
    } catch (error) {
      const code = errnoOf(error) ?? "";
      const isMissing2 = code === "ENOENT";
      const isOther = code === "ENOTDIR" || code === "ELOOP";
      if (isOther && (!isBelow || tries === TRIES)) throw inTheWay(path);
      if (!isMissing2 && !isOther || isMissing2 && makes !== true || tries === TRIES) throw error;
      if (isOther) clearEntry((0, import_node_path36.join)(folder, name));
    }
    make2((0, import_node_path36.join)(folder, name));
  }
}
function make2(path) {
  try {
    (0, import_node_fs36.mkdirSync)(path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}
function openFolder(path) {
  return (0, import_node_fs36.openSync)(path, (process.platform === "linux" ? O_PATH : O_RDONLY3) | O_DIRECTORY2 | O_NOFOLLOW2);
}
function held(handle, path) {
  return process.platform === "linux" ? `/proc/self/fd/${handle}` : path;
}
function byPath(error, folder) {
  if (!(error instanceof Error)) return error;
  const { path, dest } = error;
  const real = (text2) => text2.replaceAll(/\/proc\/self\/fd\/\d+/g, folder);
  if (typeof path === "string") Object.assign(error, { path: real(path), message: real(error.message) });
  if (typeof dest === "string") Object.assign(error, { dest: real(dest) });
  return error;
}
function inTheWay(path) {
  return new RalphError("LINKED", `${path} leads elsewhere: nothing is written there`, {
    hint: "Remove it, or put a plain file or folder in its place.",
    exitCode: 2
  });
}
var import_node_crypto5, import_node_fs36, import_node_path36, O_APPEND2, O_CREAT2, O_DIRECTORY2, O_NOFOLLOW2, O_NONBLOCK2, O_RDONLY3, O_WRONLY2, O_PATH, TRIES;
var init_held_folder = __esm({
  "src/state/held-folder.ts"() {
    "use strict";
    import_node_crypto5 = require("node:crypto");
    import_node_fs36 = require("node:fs");
    import_node_path36 = require("node:path");
    init_error();
    init_system_fault();
    ({ O_APPEND: O_APPEND2, O_CREAT: O_CREAT2, O_DIRECTORY: O_DIRECTORY2, O_NOFOLLOW: O_NOFOLLOW2, O_NONBLOCK: O_NONBLOCK2, O_RDONLY: O_RDONLY3, O_WRONLY: O_WRONLY2 } = import_node_fs36.constants);
    O_PATH = 2097152;
    TRIES = 5;
  }
});

// src/scm/exclude.ts
function excludeFromGit(cwd, pattern) {
  try {
    exclude((0, import_node_fs37.realpathSync)(cwd), pattern);
  } catch {
  }
}
function exclude(cwd, pattern) {
  const git2 = believedGit(cwd);
  if (git2 === null) return;
  const path = (0, import_node_path37.join)(git2.commonFolder, "info", "exclude");
  const isThere = (0, import_node_fs37.lstatSync)(path, { throwIfNoEntry: false }) !== void 0;
  const present = isThere ? readPlain(path) : "";
  if (present === null || present.split("\n").includes(pattern)) return;
  appendPlain(path, `${present === "" || present.endsWith("\n") ? "" : "\n"}${pattern}
`, { makes: true });
}
var import_node_fs37, import_node_path37;
var init_exclude = __esm({
  "src/scm/exclude.ts"() {
    "use strict";
    import_node_fs37 = require("node:fs");
    import_node_path37 = require("node:path");
    init_git_place();
    init_held_folder();
    init_plain_file();
  }
});

// src/scm/work-state.ts
async function workState(cwd, { env, enclosure }, refusals) {
  const enclose = enclosure && ((argv) => enclosure.enclose(argv, { refusals }));
  return readWorkState(gitIn(cwd, { ...env, ...enclosure?.env, LC_ALL: "C" }, enclose));
}
async function readWorkState(look2) {
  return workStateFrom(await look2(STATUS_ARGS));
}
var init_work_state = __esm({
  "src/scm/work-state.ts"() {
    "use strict";
    init_git_status();
    init_git();
  }
});

// src/loops/stories/files/project-file.ts
function replaceFile(cwd, path, content) {
  const name = (0, import_node_path38.basename)(path);
  inHeldFolder((0, import_node_path38.dirname)(path), { makes: true, clearsBelow: cwd }, (folder) => {
    const file = (0, import_node_path38.join)(folder, name);
    const there = (0, import_node_fs38.lstatSync)(file, { throwIfNoEntry: false });
    if (content === null || there?.isFile() === false) clearEntry(file);
    if (content === null) return;
    const next2 = (0, import_node_path38.join)(folder, `.${(0, import_node_crypto6.randomUUID)()}.ralph`);
    writeFile(next2, content, { mode: there?.isFile() ? there.mode & 511 : 420, flag: "wx" });
    (0, import_node_fs38.renameSync)(next2, file);
  });
}
function refuseLeadingOut(cwd, ralphDir) {
  if ((0, import_node_path38.isAbsolute)(ralphDir)) return;
  const real = realIfThere((0, import_node_path38.join)(cwd, ralphDir));
  if (real === null || real === (0, import_node_path38.join)(cwd, ralphDir)) return;
  const isInside2 = real.startsWith(`${cwd}/`);
  throw new RalphError(
    "RALPH_DIR",
    `${ralphDir} leads ${isInside2 ? "elsewhere in" : "out of"} the project, by a link`,
    {
      hint: `If that is what you want, name the folder itself: --ralph-dir ${isInside2 ? real.slice(cwd.length + 1) : real}`,
      exitCode: 2
    }
  );
}
function realIfThere(path) {
  try {
    return (0, import_node_fs38.realpathSync)(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
var import_node_crypto6, import_node_fs38, import_node_path38, LARGEST_PRD, PUT_ASIDE;
var init_project_file = __esm({
  "src/loops/stories/files/project-file.ts"() {
    "use strict";
    import_node_crypto6 = require("node:crypto");
    import_node_fs38 = require("node:fs");
    import_node_path38 = require("node:path");
    init_error();
    init_files();
    init_held_folder();
    LARGEST_PRD = 256 * 1024 * 1024;
    PUT_ASIDE = ".*.put-aside";
  }
});

// src/loops/stories/commands/init.ts
async function initStories(request) {
  const { projectDir, ralphDir, force } = request;
  refuseLeadingOut(projectDir, ralphDir);
  const folder = (0, import_node_path39.resolve)(projectDir, ralphDir);
  if (!force && (0, import_node_fs39.existsSync)((0, import_node_path39.join)(folder, "tasks.json"))) {
    throw new RalphError("INITIALIZED", `${ralphDir}/ already has state files (tasks.json exists).`, {
      hint: "Use --force to overwrite them, or file them away first: ralph stories archive",
      exitCode: 1
    });
  }
  await request.endLoops();
  const written = writeTemplates(folder, request, { overwrites: force });
  const ignored = ignore(projectDir, ralphDir) ? [".gitignore"] : [];
  return [...written.map((name) => `${ralphDir}/${name}`), ...ignored];
}
function writeTemplates(folder, { projectDir, name, templates, now: now2 }, { overwrites }) {
  const template = (file) => (0, import_node_fs39.readFileSync)((0, import_node_path39.join)(templates, file), "utf8");
  const project = name ?? (0, import_node_path39.basename)(projectDir);
  const files = {
    "prompt.md": template("prompt.md"),
    "prd.md": template("prd-template.md"),
    "tasks.json": tasksText(template("tasks-template.json"), name),
    "progress.txt": template("progress-template.md").replaceAll("{{DATE}}", () => dayOf2(now2)).replaceAll("{{PROJECT_NAME}}", () => project)
  };
  const wanted = Object.entries(files).filter(([file]) => overwrites || !(0, import_node_fs39.existsSync)((0, import_node_path39.join)(folder, file)));
  for (const [file, text2] of wanted) replaceFile(projectDir, (0, import_node_path39.join)(folder, file), text2);
  return wanted.map(([file]) => file);
}
function isTemplatePrd(text2, templates) {
  return text2 !== null && text2.trim() === (0, import_node_fs39.readFileSync)((0, import_node_path39.join)(templates, "prd-template.md"), "utf8").trim();
}
function dayOf2(now2) {
  return new Date(now2.getTime() - now2.getTimezoneOffset() * 6e4).toISOString().slice(0, 10);
}
function tasksText(template, name) {
  if (name === null) return template;
  const tasks = JSON.parse(template);
  return `${JSON.stringify({ ...tasks, branchName: `ralph/${branchPart(name)}` }, null, 2)}
`;
}
function branchPart(name) {
  const parts = name.split("/").map(
    (part) => part.replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, "-").replaceAll(/\.{2,}/g, ".").replace(/(?:\.lock|[.-])+$/, "").replace(/^[.-]+/, "")
  );
  return parts.filter((part) => part !== "").join("/") || "feature-name";
}
function ignore(projectDir, ralphDir) {
  const path = (0, import_node_path39.join)(projectDir, ".gitignore");
  const isThere = (0, import_node_fs39.lstatSync)(path, { throwIfNoEntry: false }) !== void 0;
  const present = isThere ? readPlain(path) : "";
  if (present === null) return false;
  const lines = present.split("\n").map((line) => line.trim());
  const logs = `${ralphDir}/logs/`;
  const missing2 = [
    ...lines.includes(MARKER_NAME) ? [] : ["# Ralph Loop runtime marker", MARKER_NAME],
    ...(0, import_node_path39.isAbsolute)(ralphDir) || lines.includes(logs) ? [] : ["# Ralph Loop logs", logs]
  ];
  if (missing2.length === 0) return true;
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  appendPlain(path, `${gap}${missing2.join("\n")}
`);
  return true;
}
var import_node_fs39, import_node_path39;
var init_init = __esm({
  "src/loops/stories/commands/init.ts"() {
    "use strict";
    import_node_fs39 = require("node:fs");
    import_node_path39 = require("node:path");
    init_error();
    init_held_folder();
    init_plain_file();
    init_project_file();
    init_active_marker();
  }
});

// src/core/closing-summary.ts
function closingLines(summary) {
  const { mark: mark2, outcome, durationMs, usage, red, details, work, next: next2 } = summary;
  const first = `${MARKS[mark2]} ${[outcome, humanDuration(durationMs), costOf(usage)].join(" · ")}`;
  const sentences = [...red.map(redSentence), ...details, workSentence(work)];
  const widest = Math.max(0, ...next2.map(({ command }) => command.length));
  return [
    ...wrap(first, "", INDENT),
    ...sentences.flatMap((sentence) => wrap(sentence, INDENT, INDENT)),
    ...next2.flatMap(({ command, why }) => nextLine(command, why, widest))
  ];
}
function describeLeft(left, iterations) {
  const after2 = iterations === 0 ? "before the first iteration" : `after ${plural(iterations, "iteration")}`;
  switch (left.kind) {
    case "done":
      return { mark: "done", outcome: iterations === 0 ? "Done" : `Done in ${plural(iterations, "iteration")}` };
    case "unpublished":
      return { mark: "needs-you", outcome: `Done in ${plural(iterations, "iteration")}, but not published` };
    case "iteration-limit":
      return { mark: "failed", outcome: `Stopped at the limit of ${plural(left.limit, "iteration")}` };
    case "kept-failing":
      return {
        mark: "failed",
        outcome: `Stopped ${after2}: the agent failed ${plural(left.failures, "time")} in a row`
      };
    case "configuration":
      return { mark: "failed", outcome: `Stopped ${after2} by a configuration error` };
    case "tampered":
      return { mark: "failed", outcome: `Stopped ${after2}: tampered with` };
    case "infrastructure":
      return { mark: "failed", outcome: `Stopped ${after2} by a fault that is not the work's` };
    case "stuck":
      return { mark: "failed", outcome: `Stuck ${after2}` };
    case "stopped":
      return { mark: "failed", outcome: `Stopped ${after2}, as you asked` };
    case "auth":
      return { mark: "needs-you", outcome: `Stopped ${after2}: the agent could not authenticate` };
    case "blocked":
      return { mark: "needs-you", outcome: `Blocked ${after2}` };
    case "decision":
      return { mark: "needs-you", outcome: `Needs your decision ${after2}` };
    case "waiting":
      return { mark: "needs-you", outcome: `The agent waits for you ${after2}` };
    case "usage-limit":
      return { mark: "needs-you", outcome: `Stopped ${after2} by the agent's usage limit` };
    case "interrupted":
      return { mark: "needs-you", outcome: `Interrupted ${after2}` };
  }
}
function endingDetails(left, clock2) {
  switch (left.kind) {
    case "auth":
    case "blocked":
    case "decision":
    case "infrastructure":
    case "stuck":
    case "tampered":
    case "unpublished":
    case "waiting":
      return [left.reason];
    case "configuration":
      return [left.reason, ...left.hint === void 0 ? [] : [left.hint]];
    case "usage-limit":
      return [left.reason, ...left.resetAt === null ? [] : [`It resets at ${clock2(left.resetAt)}.`]];
    case "kept-failing":
      return left.reason === void 0 ? [] : [`The last failure: ${left.reason}`];
    case "stopped":
      return left.reason === void 0 ? [] : [left.reason];
    default:
      return [];
  }
}
function humanDuration(ms) {
  const seconds = Math.round(ms / 1e3);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60
  ];
  if (days > 0) return hours > 0 ? `${days}d ${hours}h` : `${days}d`;
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`;
  if (minutes > 0) return seconds % 60 > 0 ? `${minutes}m ${seconds % 60}s` : `${minutes}m`;
  return `${seconds}s`;
}
function costOf({ runs, costUsd, runsWithoutCost }) {
  if (runs === 0) return "no agent was run";
  if (runsWithoutCost === runs) return "cost unknown";
  return runsWithoutCost === 0 ? dollars(costUsd) : `${dollars(costUsd)} and ${plural(runsWithoutCost, "run")} of unknown cost`;
}
function redSentence({ command, exit, log }) {
  return `"${command}" stayed red (${exit}${log === null ? "" : `, log ${log}`}).`;
}
function workSentence(work) {
  switch (work.kind) {
    case "committed":
      return `Everything is committed${work.except === void 0 ? "" : ` except ${work.except}`} (HEAD is ${work.commit.slice(0, 7)}).`;
    case "uncommitted":
      return `${plural(work.files, "changed file")} ${work.files === 1 ? "is" : "are"} not committed.`;
    case "no-repository":
      return "Nothing is committed: there is no git repository.";
    case "unknown":
      return `Whether the work is committed is unknown: ${work.reason}`;
  }
}
function nextLine(command, why, widest) {
  const beside = `${INDENT}${command.padEnd(Math.min(widest, WIDTH / 2))}   ${why}`;
  return beside.length <= WIDTH ? [beside] : [`${INDENT}${command}`, `${INDENT}${INDENT}${why}`];
}
function wrap(text2, indent, hanging) {
  const lines = [];
  for (const paragraph of text2.split("\n")) {
    let line = lines.length === 0 ? indent : hanging;
    let isEmpty = true;
    for (const word of paragraph.split(" ")) {
      if (!isEmpty && line.length + 1 + word.length > WIDTH) {
        lines.push(line);
        line = hanging;
        isEmpty = true;
      }
      line += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    lines.push(line.trimEnd());
  }
  return lines;
}
var MARKS, WIDTH, INDENT;
var init_closing_summary = __esm({
  "src/core/closing-summary.ts"() {
    "use strict";
    init_usage();
    MARKS = { done: "✓", failed: "✗", "needs-you": "!" };
    WIDTH = 80;
    INDENT = "  ";
  }
});

// src/loops/stories/commands/run-again.ts
function runAgain(request) {
  const { sandbox: sandbox2, model, reviewAgent, reviewModel, stuckAfter } = request;
  const usual = STORIES_DEFAULTS;
  const differs = (name) => (request[name] ?? usual[name]) !== usual[name];
  const words = [
    ...differs("ralphDir") ? ["--ralph-dir", request.ralphDir] : [],
    ...differs("maxIterations") ? ["-n", String(request.maxIterations)] : [],
    ...model === null ? [] : ["-m", model],
    ...differs("agent") ? ["--agent", request.agent] : [],
    ...reviewAgent === null ? [] : ["--review-agent", reviewAgent],
    ...reviewModel === null ? [] : ["--review-model", reviewModel],
    ...request.skipReview ? ["--skip-review"] : [],
    ...differs("reviewCap") ? ["--review-cap", String(request.reviewCap)] : [],
    ...request.verify === false ? ["--no-verify"] : [],
    ...differs("verifyTimeoutMs") ? ["--verify-timeout", formatDuration(request.verifyTimeoutMs ?? 0)] : [],
    ...differs("backoffUnitMs") ? ["--failure-backoff", formatDuration(request.backoffUnitMs)] : [],
    ...stuckAfter == null ? [] : ["--stuck-after", String(stuckAfter)],
    ...sandbox2?.kind === "none" ? ["--no-sandbox"] : [],
    ...(sandbox2?.allowHosts ?? []).flatMap((host) => ["--allow-host", host]),
    ...(sandbox2?.allowWrite ?? []).flatMap((path) => ["--allow-write", path]),
    ...(sandbox2?.denyWrite ?? []).flatMap((path) => ["--deny-write", path]),
    ...(sandbox2?.denyRead ?? []).flatMap((path) => ["--deny-read", path])
  ];
  return ["ralph stories run", ...words.map(quoteWord)].join(" ");
}
var init_run_again = __esm({
  "src/loops/stories/commands/run-again.ts"() {
    "use strict";
    init_duration();
    init_quote_word();
    init_request2();
  }
});

// src/loops/stories/files/messages.ts
function tell(cwd, folder, { kind, reason, iteration, at }) {
  const from = `(from iteration ${iteration}, ${new Date(at).toISOString().replace(/\.\d+Z$/, "Z")})`;
  if (kind === "blocked") replaceFile(cwd, (0, import_node_path40.join)(folder, BLOCKED_FILE), `## Blocked ${from}

${reason}
`);
  else replaceFile(cwd, (0, import_node_path40.join)(folder, DECIDE_FILE), `## Question ${from}

${reason}

---
${ANSWER_HEADING}

`);
}
function answerTo(question, text2) {
  const whole = plainLines(text2).replace(/^## Question \([^\n]*\)\n+/, "");
  const asked2 = plainLines(question);
  if (!whole.startsWith(asked2)) return null;
  const [, answer = ""] = /^\n+---\n+## Answer(?![^\s:]):?(.*)$/s.exec(whole.slice(asked2.length)) ?? [];
  return answer.trim() === "" ? null : text2.trim();
}
function plainLines(text2) {
  return text2.replaceAll(/[^\S\n]+$/gm, "").trim();
}
var import_node_path40, BLOCKED_FILE, DECIDE_FILE, TOLD_FILES, ANSWER_HEADING;
var init_messages = __esm({
  "src/loops/stories/files/messages.ts"() {
    "use strict";
    import_node_path40 = require("node:path");
    init_project_file();
    BLOCKED_FILE = "blocked.txt";
    DECIDE_FILE = "decide.txt";
    TOLD_FILES = [BLOCKED_FILE, DECIDE_FILE];
    ANSWER_HEADING = "## Answer";
  }
});

// src/stream/formatter.ts
function eventFormatter(options = DEFAULT_FORMAT) {
  const icon = options.emoji ? EMOJI : TEXT2;
  const paint = (style, text2) => options.color ? (0, import_node_util4.styleText)(style, text2, WHATEVER_THE_STREAM) : text2;
  const names = /* @__PURE__ */ new Map();
  let tools = 0;
  let errors = 0;
  const toolStart4 = (event) => {
    tools++;
    const name = printable(event.name);
    names.set(event.id, name);
    return `${paint("cyan", `${icon.tool} ${name}`)}(${cut2(options.mask(printable(event.input)), LONGEST_INPUT)})`;
  };
  const toolEnd4 = (event) => {
    const name = names.get(event.id) ?? "tool";
    names.delete(event.id);
    if (event.isError) errors++;
    const text2 = event.output.trimEnd();
    if (text2 === "" && !event.isError) return "";
    const head = event.isError ? paint("red", `${icon.error} Error`) : paint("green", `${icon.ok} Result`);
    return `${head} ← ${name} ${outputLines(text2, event.output.length)}`;
  };
  const outputLines = (text2, chars) => {
    let shown2 = "";
    let lines = 0;
    for (let start = 0; start <= text2.length; lines++) {
      const end3 = text2.indexOf("\n", start);
      const stop = end3 < 0 ? text2.length : end3;
      if (lines < options.maxOutputLines) {
        const line = cut2(options.mask(printable(text2.slice(start, stop))), options.maxOutputChars);
        shown2 += `
${paint("dim", lines === 0 ? `  ${icon.output}  ${line}` : `      ${line}`)}`;
      }
      start = stop + 1;
    }
    const more = lines - options.maxOutputLines;
    if (more > 0) shown2 += `
${paint("dim", `  ${icon.output}  ... ${more} more ${more === 1 ? "line" : "lines"}`)}`;
    return `(${plural(lines, "line")}, ${plural(chars, "char")})${shown2}`;
  };
  const todo2 = ({ items }) => {
    const done = items.filter((item) => item.status === "completed").length;
    const share = Math.round(done / Math.max(items.length, 1) * 100);
    const lines = items.map(({ status, text: text2 }) => {
      if (status === "active") return paint("yellow", `  ${icon.active} ${printable(text2)} ← ACTIVE`);
      return `  ${status === "completed" ? icon.done : icon.pending} ${printable(text2)}`;
    });
    return [
      "",
      `${icon.todo}Todo List`,
      ...lines,
      `  ${icon.progress}Progress: ${done}/${items.length} (${share}%)`,
      ""
    ].join("\n");
  };
  const result = (event) => {
    const head = event.isError ? paint("red", `${icon.error} Failed`) : paint("green", `${icon.ok} Complete`);
    return `${head} (${account(event, tools, errors, options.elapsed)})`;
  };
  const show = (event) => {
    switch (event.type) {
      case "text":
        return printable(event.text).trimEnd();
      case "tool-start":
        return toolStart4(event);
      case "tool-end":
        return toolEnd4(event);
      case "todo":
        return todo2(event);
      case "result":
        return result(event);
      case "unknown":
        return event.raw.startsWith("{") ? "" : printable(event.raw);
      case "progress":
      case "notice":
      case "refusal":
      case "fault":
      case "stderr":
        return "";
    }
  };
  return (event) => {
    const text2 = show(event);
    if (text2 === "" && event.type !== "text") return null;
    return options.clock === null ? text2 : stamped(text2, options.clock());
  };
}
function stamped(text2, now2) {
  const stamp = `[${now2.toTimeString().slice(0, 8)}]`;
  return text2.replaceAll(/^/gm, `${stamp} `);
}
function account(result, tools, errors, elapsed) {
  const parts = [];
  const { costUsd, inputTokens, outputTokens, cacheReadTokens } = result;
  if (costUsd !== void 0 && costUsd > 0) parts.push(`cost: ${dollars(costUsd)}`);
  if (inputTokens !== void 0 && outputTokens !== void 0) {
    const cached2 = cacheReadTokens ? ` (${shortCount(cacheReadTokens)} cached)` : "";
    parts.push(`tokens: ${shortCount(inputTokens)} in${cached2} / ${shortCount(outputTokens)} out`);
  } else if (costUsd === void 0) parts.push("cost: unknown");
  parts.push(`tools: ${tools}`, `errors: ${errors}`);
  const durationMs = result.durationMs ?? elapsed?.();
  if (durationMs !== void 0) parts.push(`time: ${formatDuration(Math.round(durationMs / 1e3) * 1e3)}`);
  return parts.join(", ");
}
function cut2(text2, chars) {
  const line = text2.replaceAll("\n", " ");
  return line.length > chars ? cutWhole(line, chars) : line;
}
function cutWhole(line, chars) {
  const characters = [...line];
  return characters.length > chars ? `${characters.slice(0, chars - 3).join("")}...` : line;
}
var import_node_util4, DEFAULT_FORMAT, EMOJI, TEXT2, WHATEVER_THE_STREAM, LONGEST_INPUT;
var init_formatter = __esm({
  "src/stream/formatter.ts"() {
    "use strict";
    import_node_util4 = require("node:util");
    init_duration();
    init_usage();
    init_printable();
    DEFAULT_FORMAT = {
      emoji: true,
      color: false,
      clock: null,
      maxOutputLines: 3,
      maxOutputChars: 120,
      elapsed: null,
      mask: (text2) => text2
    };
    EMOJI = {
      tool: "⏺",
      ok: "✅",
      error: "❌",
      output: "⎿",
      todo: "📋 ",
      done: "✅",
      active: "🔄",
      pending: "⏸️",
      progress: "📊 "
    };
    TEXT2 = {
      tool: ">",
      ok: "[OK]",
      error: "[ERR]",
      output: "|",
      todo: "",
      done: "[x]",
      active: "[>]",
      pending: "[ ]",
      progress: ""
    };
    WHATEVER_THE_STREAM = { validateStream: false };
    LONGEST_INPUT = 80;
  }
});

// src/loops/stories/iteration-log.ts
function iterationLogName(iteration) {
  return `iteration-${String(iteration).padStart(3, "0")}.log`;
}
function iterationLog({ folder }, mask, tell2) {
  const logs = (0, import_node_path41.join)(folder, "logs");
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let file = "";
  let isWritten = true;
  let began = null;
  const append2 = (path, text2) => {
    if (path === "") return;
    try {
      appendPlain(path, text2, { makes: true });
      isWritten = true;
    } catch (error) {
      if (isWritten)
        tell2(`WARNING: no log is written any more: ${error instanceof Error ? error.message : String(error)}`);
      isWritten = false;
    }
  };
  return (event) => {
    if (event.type === "progress") {
      const text2 = event.event.type === "stderr" ? event.event.text : format(event.event);
      const shown2 = text2 === null ? null : maskShown(text2);
      if (shown2 !== null) append2(file, `${shown2}
`);
    } else if (event.type === "action") {
      const { action, state } = event;
      if (action.do !== "start") return;
      const running = state.data.running;
      began = { mode: running?.mode ?? "", at: running?.beganAt ?? state.at };
      format = eventFormatter({ ...DEFAULT_FORMAT, emoji: false, maxOutputLines: 40, maxOutputChars: 4e3, mask });
      file = (0, import_node_path41.join)(logs, iterationLogName(state.iteration));
      append2(file, `=== ${action.run.iteration}/${action.run.try} ${began.mode} ${running?.story.id ?? ""}
`);
    } else if (isSettled(event.state)) {
      if (began === null) return;
      const summary = (0, import_node_path41.join)(logs, "summary.csv");
      append2(summary, `${(0, import_node_fs40.existsSync)(summary) ? "" : HEADER}${summaryLine(event.state, began, event.record.at)}
`);
      began = null;
    }
  };
}
function isSettled({ phase, data }) {
  return data.judged !== null && (data.running === null || phase.at === "end");
}
function summaryLine({ iteration, data }, began, at) {
  const { judged, stuckCount } = data;
  const seconds = Math.round((at - began.at) / 1e3);
  const stories = [judged?.complete ?? 0, judged?.total ?? 0];
  const timestamp = new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  return [iteration, began.mode, seconds, judged?.head ?? "", ...stories, stuckCount, timestamp].join(",");
}
var import_node_fs40, import_node_path41, HEADER;
var init_iteration_log = __esm({
  "src/loops/stories/iteration-log.ts"() {
    "use strict";
    import_node_fs40 = require("node:fs");
    import_node_path41 = require("node:path");
    init_mask();
    init_held_folder();
    init_formatter();
    HEADER = "iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp\n";
  }
});

// src/loops/stories/closing.ts
function storiesClosing(state, left, work, stories, clock2) {
  const { data, usage } = state;
  const red = data.verified?.red ?? [];
  return {
    ...describeLeft(left, iterationsWithRun(state)),
    durationMs: state.workedMs,
    usage,
    red: red.map(({ command, outcome, log }) => ({ command, exit: describeOutcome(outcome), log })),
    details: [
      ...reasonOf2(state, left, clock2),
      `${stories.complete} of ${stories.total} ${stories.total === 1 ? "story" : "stories"} complete.`,
      ...verifyDetails(data, left)
    ],
    work,
    next: nextCommands(state, left, work)
  };
}
function reasonOf2(state, left, clock2) {
  const { data, iteration, failures } = state;
  const { request, lastFailure, promised } = data;
  const logs = `${request.ralphDir}/logs/`;
  switch (left.kind) {
    // Told right above, with what to do about it.
    case "configuration":
      return [];
    case "kept-failing": {
      const reason = lastFailure ?? left.reason;
      const log = `${logs}${iterationLogName(iteration)}`;
      return [...reason === void 0 ? [] : [`The last failure: ${reason}`], `Its log: ${log}`];
    }
    case "iteration-limit":
      if (lastFailure === null || failures === 0) return [];
      return [
        `${failures} of ${plural(iteration, "iteration")} failed; the last failure: ${lastFailure}`,
        `Logs: ${logs}`
      ];
    case "blocked": {
      const isTold = promised?.kind === "blocked" && promised.reason === left.reason;
      return [...endingDetails(left, clock2), ...isTold ? [`It is kept in ${request.ralphDir}/${BLOCKED_FILE}`] : []];
    }
    default:
      return endingDetails(left, clock2);
  }
}
function verifyDetails(data, left) {
  const commands = commandsOf(data);
  if (left.kind !== "done") return [];
  if (commands.length > 0) return [`Run by ralph in the agent's work tree, and green: ${commands.join(", ")}.`];
  return ["Nothing was checked by ralph itself: the reviews are all there is."];
}
function nextCommands(state, left, work) {
  const { request } = state.data;
  switch (left.kind) {
    case "done":
      return [
        ...work.kind === "uncommitted" ? [{ command: "git status", why: "what is not committed" }] : [],
        { command: "ralph stories archive", why: "file this plan away, and begin the next one" }
      ];
    case "stopped":
    case "waiting":
      return [];
    case "interrupted":
      return [{ command: continueCommand(state, null), why: "continue" }];
    case "tampered":
      return [
        { command: runAgain(request), why: "start again, once you have looked at what was changed (git log -p)" }
      ];
    default:
      return [{ command: continueCommand(state, left), why: whyAgain(left, request.ralphDir) }];
  }
}
function continueCommand({ iteration, data }, ending) {
  const isAtLimit = isIterationOver(ending) && iteration >= data.request.maxIterations;
  return isAtLimit ? `ralph stories resume -n ${iteration * 2}` : "ralph stories resume";
}
function isIterationOver(ending) {
  return ending?.kind === "iteration-limit" || ending?.kind === "kept-failing";
}
function whyAgain({ kind }, ralphDir) {
  switch (kind) {
    case "decision":
      return `continue, once you have answered in ${ralphDir}/${DECIDE_FILE}`;
    case "auth":
      return "continue, once the agent is logged in";
    case "usage-limit":
      return "continue, once the limit is reset";
    case "configuration":
      return "continue, once that is fixed";
    case "kept-failing":
    case "infrastructure":
      return "continue, once the agent works again";
    case "iteration-limit":
      return "continue with more iterations";
    default:
      return "continue, once the reason is gone";
  }
}
var init_closing = __esm({
  "src/loops/stories/closing.ts"() {
    "use strict";
    init_check();
    init_closing_summary();
    init_usage();
    init_run_again();
    init_messages();
    init_iteration_log();
    init_story_state();
    init_verify_rules();
  }
});

// src/loops/stories/files/archive-previous-logs.ts
function putPapersAway(papers) {
  return [...putBlockAway(papers, " of an earlier loop"), ...putLogsAside(papers)];
}
function putBlockAway({ cwd, folder, ralphDir, loop }, whose = "") {
  const file = (0, import_node_path42.join)(folder, BLOCKED_FILE);
  if (!(0, import_node_fs41.existsSync)(file)) return [];
  const kept2 = (0, import_node_path42.join)(loop.folder, BLOCKED_FILE);
  writeProjection(kept2, readPlain(file) ?? "");
  replaceFile(cwd, file, null);
  return [`${ralphDir}/${BLOCKED_FILE}${whose} is kept in ${kept2}`];
}
function putLogsAside({ folder, ralphDir, loop, earlier }) {
  const logs = (0, import_node_path42.join)(folder, "logs");
  if (!isFolder(logs)) return [];
  const names = (0, import_node_fs41.readdirSync)(logs).filter((name) => OURS.test(name) && isFile((0, import_node_path42.join)(logs, name)));
  if (names.length === 0) return [];
  const place = earlier ?? `before-${loop.id}`;
  inHeldFolder(
    logs,
    {},
    (from) => inHeldFolder((0, import_node_path42.join)(logs, place), { makes: true, clearsBelow: logs }, (to) => {
      for (const name of names) {
        if (!isFile((0, import_node_path42.join)(to, name))) clearEntry((0, import_node_path42.join)(to, name));
        (0, import_node_fs41.renameSync)((0, import_node_path42.join)(from, name), (0, import_node_path42.join)(to, name));
      }
    })
  );
  return [`The logs of the last loop are in ${ralphDir}/logs/${place}/`];
}
function isFile(path) {
  return (0, import_node_fs41.lstatSync)(path, { throwIfNoEntry: false })?.isFile() === true;
}
function isFolder(path) {
  return (0, import_node_fs41.lstatSync)(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
var import_node_fs41, import_node_path42, OURS;
var init_archive_previous_logs = __esm({
  "src/loops/stories/files/archive-previous-logs.ts"() {
    "use strict";
    import_node_fs41 = require("node:fs");
    import_node_path42 = require("node:path");
    init_held_folder();
    init_plain_file();
    init_projection();
    init_messages();
    init_project_file();
    OURS = /^(?:iteration-\d+\.log|summary\.csv)$/;
  }
});

// src/loops/stories/files/consume-decision.ts
function consumeDecision(cwd, ralphDir, last) {
  const file = (0, import_node_path43.resolve)(cwd, ralphDir, DECIDE_FILE);
  const text2 = readPlain(file);
  const question = last?.ending?.kind === "decision" ? last.ending.reason : null;
  const answer = text2 === null || question === null ? null : answerTo(question, text2);
  if (question !== null && answer === null && (0, import_node_fs42.existsSync)(file))
    throw unanswered(question, `${ralphDir}/${DECIDE_FILE}`);
  return {
    answer,
    putAway(loop) {
      if (!(0, import_node_fs42.existsSync)(file)) return [];
      const kept2 = (0, import_node_path43.join)(loop, DECIDE_FILE);
      writeProjection(kept2, text2 ?? "");
      replaceFile(cwd, file, null);
      return answer === null ? [`${ralphDir}/${DECIDE_FILE} holds no answer to a question of the last loop; it is kept in ${kept2}`] : [`The answer in ${ralphDir}/${DECIDE_FILE} is taken; the file is kept in ${kept2}`];
    }
  };
}
function awaitsAnswer(cwd, ralphDir, ending) {
  if (ending?.kind !== "decision") return false;
  const text2 = readPlain((0, import_node_path43.resolve)(cwd, ralphDir, DECIDE_FILE));
  return text2 !== null && answerTo(ending.reason, text2) === null;
}
function unanswered(question, path) {
  return new RalphError(
    "UNANSWERED",
    `the last loop asked a question, and ${path} holds no answer to it: ${question.split(/\s+/).join(" ")}`,
    {
      hint: 'Write the answer below "## Answer" and leave the lines above it as they are; to go on without one, remove the file.',
      exitCode: EXIT_CODES.decision
    }
  );
}
var import_node_fs42, import_node_path43;
var init_consume_decision = __esm({
  "src/loops/stories/files/consume-decision.ts"() {
    "use strict";
    import_node_fs42 = require("node:fs");
    import_node_path43 = require("node:path");
    init_ending();
    init_error();
    init_plain_file();
    init_projection();
    init_messages();
    init_project_file();
  }
});

// src/loops/stories/continue-loop.ts
function continueStories(reopened, found, change) {
  const { state, folder: loop } = reopened;
  const { cwd, id, data } = state;
  const { ralphDir } = data.request;
  try {
    refuseToContinue(state, change);
    if (state.phase.at !== "over") {
      const options2 = Object.keys(change).length === 0 ? void 0 : change;
      return { loop: continueLoop(machine, reopened, options2, Date.now()), says: [] };
    }
    const { answer, putAway } = consumeDecision(cwd, ralphDir, found);
    const options = { ...change, ...answer === null ? {} : { answer } };
    const open = continueLoop(machine, reopened, options, Date.now());
    const papers = { cwd, folder: (0, import_node_path44.resolve)(cwd, ralphDir), ralphDir, loop: { id, folder: loop } };
    return { loop: open, says: [...putAway(loop), ...putBlockAway(papers)] };
  } catch (error) {
    reopened.close();
    throw error;
  }
}
function refuseToContinue({ phase, iteration, data }, change) {
  const ending = phase.at === "over" ? phase.ending : null;
  if (ending?.kind === "tampered") {
    throw new RalphError("TAMPERED", `the last stories loop cannot be continued: ${ending.reason}`, {
      hint: `Look at what was changed (git log -p), then start again: ${runAgain(data.request)}`,
      exitCode: 2
    });
  }
  const made = isIterationOver(ending) ? iteration : iteration - 1;
  const limit = change.maxIterations ?? data.request.maxIterations;
  if (made < limit) return;
  const why = change.maxIterations === void 0 ? `its limit is ${limit}` : "-n must be higher";
  throw new RalphError("STORIES_OPTION", `the loop has already made ${plural(made, "iteration")}: ${why}`, {
    hint: `To continue with more, run: ralph stories resume -n ${made * 2}`,
    exitCode: 2
  });
}
var import_node_path44, machine;
var init_continue_loop = __esm({
  "src/loops/stories/continue-loop.ts"() {
    "use strict";
    import_node_path44 = require("node:path");
    init_error();
    init_machine();
    init_usage();
    init_loop();
    init_closing();
    init_run_again();
    init_archive_previous_logs();
    init_consume_decision();
    init_rules2();
    machine = loopMachine(storiesRules);
  }
});

// src/loops/stories/files/copies.ts
function copiesIn(loop) {
  const folder = (0, import_node_path45.join)(loop, "copies");
  const kept2 = /* @__PURE__ */ new Map();
  const read = (name) => {
    if (name === null) return null;
    const known = kept2.get(name) ?? readChecked((0, import_node_path45.join)(folder, name), name);
    kept2.set(name, known);
    return known;
  };
  return {
    keep(content) {
      if (content === null) return null;
      const name = nameOf(content);
      if (!kept2.has(name)) {
        makePrivateFolder(folder);
        writeProjection((0, import_node_path45.join)(folder, name), content);
        kept2.set(name, Buffer.from(content));
      }
      return name;
    },
    read,
    text: (name) => read(name)?.toString("utf8") ?? null
  };
}
function nameOf(content) {
  return (0, import_node_crypto7.createHash)("sha256").update(content).digest("hex");
}
function readChecked(path, name) {
  const content = contentOf2(path);
  if (content !== null && nameOf(content) === name) return content;
  throw new RalphError(
    "COPY_CHANGED",
    `the harness’s own copy of what an iteration began with was ${content === null ? "taken away" : "changed"} (${path})`,
    {
      hint: "Look through tasks.json and prd.md yourself (git log -p), then end that loop: ralph stories resume",
      exitCode: 9
    }
  );
}
function contentOf2(path) {
  try {
    return (0, import_node_fs43.readFileSync)(path);
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR", "EACCES", "ELOOP"].includes(errnoOf(error) ?? "")) return null;
    throw error;
  }
}
var import_node_crypto7, import_node_fs43, import_node_path45;
var init_copies = __esm({
  "src/loops/stories/files/copies.ts"() {
    "use strict";
    import_node_crypto7 = require("node:crypto");
    import_node_fs43 = require("node:fs");
    import_node_path45 = require("node:path");
    init_error();
    init_folders();
    init_projection();
  }
});

// src/loops/stories/files/own-commit.ts
async function ownCommit({ tree, message, paths }) {
  if (paths.length === 0) return NOTHING;
  const { git: git2 } = tree;
  const staged = await git2(["add", "--all", "--", ...paths]);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git2(["status", "--porcelain", "--", ...paths]);
  if (changes.ok && changes.stdout === "") return NOTHING;
  const commit2 = [
    "-c",
    "core.hooksPath=/dev/null",
    "commit",
    "--quiet",
    "--no-verify",
    "--no-gpg-sign",
    "--only",
    "-m",
    message,
    "--",
    ...paths
  ];
  const made = await git2([...await identity(git2), ...commit2]);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  const head = await headCommit(git2);
  await tree.settle();
  return { commit: head, problem: null };
}
async function trackedAmong(paths, head, { cwd, git: git2 }) {
  const isTracked = async (path) => {
    const here = (0, import_node_path46.isAbsolute)(path) ? (0, import_node_path46.relative)(cwd, path) : path;
    const now2 = await git2(["ls-files", "--", here]);
    if (now2.ok && now2.stdout !== "") return true;
    const then = head === null ? null : await git2(["ls-tree", "-r", "--name-only", head, "--", here]);
    return then?.ok === true && then.stdout !== "";
  };
  const tracked = [];
  for (const path of paths) if (await isTracked(path)) tracked.push(path);
  return tracked;
}
async function identity(git2) {
  const known = await git2(["var", "GIT_COMMITTER_IDENT"]);
  return known.ok ? [] : ["-c", "user.name=Ralph Loop", "-c", "user.email=ralph@localhost"];
}
function firstLine(text2) {
  return text2.trim().split("\n")[0] ?? "";
}
var import_node_path46, NOTHING;
var init_own_commit = __esm({
  "src/loops/stories/files/own-commit.ts"() {
    "use strict";
    import_node_path46 = require("node:path");
    init_git();
    NOTHING = { commit: null, problem: null };
  }
});

// src/loops/stories/files/put-back.ts
async function putBack2(setting, given, key) {
  const kept2 = [
    ...await putBackOne(setting, "tasks.json", given.tasks, key),
    ...await putBackOne(setting, "prd.md", given.prd, key)
  ];
  const message = `chore(ralph): put the story list back — ${MESSAGES[given.why]}`;
  return { kept: kept2, ...await committed(setting, ["tasks.json", "prd.md"], given.head, message) };
}
async function putPromptBack(setting, given, key) {
  const kept2 = await putBackOne(setting, "prompt.md", given.prompt, key);
  const message = "chore(ralph): put prompt.md back — the iteration changed it";
  return { kept: kept2, ...await committed(setting, ["prompt.md"], given.head, message) };
}
async function committed({ tree, ralphDir }, names, head, message) {
  const paths = names.map((name) => `${ralphDir}/${name}`);
  return ownCommit({ tree, message, paths: await trackedAmong(paths, head, tree) });
}
async function putBackOne(setting, name, was, key) {
  const { folder, loop, copies, tree } = setting;
  const path = (0, import_node_path47.join)(folder, name);
  const kept2 = (0, import_node_path47.join)(loop, "put-back", `${key.replaceAll("/", "-")}-${name}`);
  const now2 = readPlainBytes(path, LARGEST_PRD);
  if (now2 !== null) {
    if (nameOf(now2) === was) return (0, import_node_fs44.existsSync)(kept2) ? [kept2] : [];
    makePrivateFolder((0, import_node_path47.join)(loop, "put-back"));
    writeProjection(kept2, now2);
  } else if (was === null && (0, import_node_fs44.lstatSync)(path, { throwIfNoEntry: false }) === void 0) return [];
  await tree.write(path, copies.read(was));
  return now2 === null ? [] : [kept2];
}
var import_node_fs44, import_node_path47, MESSAGES;
var init_put_back = __esm({
  "src/loops/stories/files/put-back.ts"() {
    "use strict";
    import_node_fs44 = require("node:fs");
    import_node_path47 = require("node:path");
    init_folders();
    init_plain_file();
    init_projection();
    init_copies();
    init_own_commit();
    init_project_file();
    MESSAGES = {
      tampered: "the iteration made changes that it may not make",
      failed: "the iteration failed",
      interrupted: "the iteration was cut off",
      "no-fix": "the review-fix changed no code",
      uncounted: "the iteration does not count",
      between: "it was changed between two iterations"
    };
  }
});

// src/loops/stories/earlier-loop.ts
async function putBackOfEarlier(cwd, current, settingOf, root) {
  const earlier = newestStories(root, cwd, current);
  if (earlier === null || earlier.ending !== null) return [];
  const folder = loopFolder(root, earlier.id);
  const data = dataIn(folder);
  if (data === null) return ["The records of an earlier loop cannot be read; nothing is put back."];
  if (data.running === null) return [];
  const { tasks, prd, head } = data.running;
  const setting = settingOf(folder, data.request);
  const name = (file) => {
    const content = readPlainBytes(`${setting.folder}/${file}`, LARGEST_PRD);
    return content === null ? null : nameOf(content);
  };
  if (name("tasks.json") === tasks && name("prd.md") === prd) return [];
  if (!isSamePlan(setting.copies.text(tasks), readPlain(`${setting.folder}/tasks.json`)))
    return ["An earlier loop was cut off in the middle of an iteration, with another list; nothing is put back."];
  const given = { why: "interrupted", tasks, prd, head };
  const { kept: kept2 } = await putBack2(setting, given, "left");
  return [
    "An earlier loop was cut off in the middle of an iteration; the story list is put back as it was before it.",
    ...kept2.map((path) => `What was there is kept in ${path}`)
  ];
}
function isSamePlan(before, now2) {
  const [was, is2] = [readTasks(before), readTasks(now2)];
  if (!was.isValid || !is2.isValid) return true;
  const ids = new Set(is2.tasks.userStories.map(({ id }) => id));
  return was.tasks.project === is2.tasks.project && was.tasks.userStories.every(({ id }) => ids.has(id));
}
var init_earlier_loop = __esm({
  "src/loops/stories/earlier-loop.ts"() {
    "use strict";
    init_paths();
    init_plain_file();
    init_copies();
    init_project_file();
    init_put_back();
    init_find_loop();
    init_tasks();
  }
});

// src/loops/stories/files/active-file.ts
async function writeMarker({ cwd, write }, place, marker) {
  const { pid, startTime, boot } = ownIdentity(place);
  const owner = { pid, process: { startTime, boot, pidNamespace: place.pidNamespace } };
  await write((0, import_node_path48.join)(cwd, MARKER_NAME), markerText({ ...marker, ...owner }));
}
async function removeMarker({ cwd, write }) {
  if ((0, import_node_fs45.lstatSync)((0, import_node_path48.join)(cwd, MARKER_NAME), { throwIfNoEntry: false }) !== void 0)
    await write((0, import_node_path48.join)(cwd, MARKER_NAME), null);
}
function takeOver(cwd, place) {
  const marker = markerIn(cwd);
  if (marker === null) return null;
  if (marker.pid !== null && marker.pid !== ownIdentity(place).pid && lives(marker, place)) {
    throw markedElsewhere(cwd, marker);
  }
  return marker.pid ?? "unknown";
}
function markedElsewhere(cwd, { pid, process: owner }) {
  const what = owner === null ? `${MARKER_NAME} says that a loop runs in ${cwd}` : `a loop already runs in ${cwd} (pid ${pid})`;
  return new RalphError("LOCKED", what, {
    hint: `Wait for its end, or stop it where it was started. If no loop runs there, remove ${MARKER_NAME}.`,
    exitCode: 2
  });
}
function livingMarker(cwd, place) {
  const marker = markerIn(cwd);
  return marker !== null && lives(marker, place) ? marker : null;
}
function markerIn(cwd) {
  const text2 = readPlain((0, import_node_path48.join)(cwd, MARKER_NAME));
  return text2 === null ? null : readMarker(text2);
}
function lives(marker, place) {
  const { pid, process: owner } = marker;
  if (pid === null) return false;
  if (owner === null) return identify(pid, place) !== null;
  return !isLeftBehind({ ...marker, isSandboxed: false }, place, (one) => isRunning(one, place));
}
var import_node_fs45, import_node_path48;
var init_active_file = __esm({
  "src/loops/stories/files/active-file.ts"() {
    "use strict";
    import_node_fs45 = require("node:fs");
    import_node_path48 = require("node:path");
    init_error();
    init_identity();
    init_plain_file();
    init_active_marker();
  }
});

// src/loops/stories/commands/plugin-folder.ts
function findPlugin(from, given) {
  const candidates2 = given ? [given] : [(0, import_node_path49.join)(from, ".."), (0, import_node_path49.join)(from, "../../plugin"), (0, import_node_path49.join)(from, "../../../plugin")];
  return candidates2.map((path) => (0, import_node_path49.resolve)(path)).find(isPlugin) ?? null;
}
function planningCommand(pluginDir) {
  return pluginDir === null ? "/ralph:ralph-plan in Claude Code, with the ralph plugin" : `claude --plugin-dir ${quoteWord(pluginDir)} "/ralph:ralph-plan"`;
}
function templatesOf(pluginDir) {
  if (pluginDir !== null && (0, import_node_fs46.existsSync)((0, import_node_path49.join)(pluginDir, "templates"))) return (0, import_node_path49.join)(pluginDir, "templates");
  throw new RalphError("NO_PLUGIN", "the templates were not found: they come with the ralph plugin", {
    hint: "Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.",
    exitCode: 2
  });
}
function isPlugin(path) {
  return (0, import_node_fs46.existsSync)((0, import_node_path49.join)(path, ".claude-plugin/plugin.json")) && (0, import_node_fs46.existsSync)((0, import_node_path49.join)(path, "hooks/hooks.json"));
}
var import_node_fs46, import_node_path49;
var init_plugin_folder = __esm({
  "src/loops/stories/commands/plugin-folder.ts"() {
    "use strict";
    import_node_fs46 = require("node:fs");
    import_node_path49 = require("node:path");
    init_error();
    init_quote_word();
  }
});

// src/loops/stories/list/integrity.ts
function integrityProblems(after2, reviewCap, before) {
  return after2.userStories.flatMap((story) => [
    ...outOfSync(story),
    ...tooManyReviews(story, reviewCap, before?.get(story.id)?.reviewCount ?? 0)
  ]);
}
function outOfSync({ id, passes, reviewStatus, reviewFeedback }) {
  const story = `Story ${cut(id)}`;
  const problems = [];
  if (passes && reviewStatus !== "approved")
    problems.push(
      `${story} has passes=true but reviewStatus is ${quoted(reviewStatus ?? "null")}, not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`
    );
  if (!passes && reviewStatus === "approved")
    problems.push(`${story} has reviewStatus='approved' but passes=false. These fields must be in sync.`);
  if (reviewStatus === "changes_requested" && reviewFeedback.trim() === "")
    problems.push(
      `${story} has reviewStatus='changes_requested' but empty reviewFeedback. Review must explain what needs fixing.`
    );
  return problems;
}
function tooManyReviews({ id, reviewCount }, reviewCap, countBefore) {
  if (reviewCount <= reviewCap + 1 || reviewCount <= countBefore + 1) return [];
  return [
    `Story ${cut(id)} has reviewCount=${reviewCount} which exceeds reviewCap+1 (${reviewCap + 1}). Possible corruption.`
  ];
}
var init_integrity = __esm({
  "src/loops/stories/list/integrity.ts"() {
    "use strict";
    init_wording();
  }
});

// src/loops/stories/list/dependencies.ts
function unreachableStories(before, { userStories }) {
  if (userStories.every(({ dependsOn = [] }) => dependsOn.length === 0)) return [];
  const after2 = new Map(userStories.map((story) => [story.id, story]));
  const [were, are] = [neverReady(before), neverReady(after2)];
  return userStories.filter(({ id }) => are.has(id) && !(before.has(id) && (were.has(id) || before.get(id)?.dependsOn === void 0))).map(({ id, dependsOn = [] }) => {
    const blame = dependsOn.filter((one) => are.has(one) || !after2.has(one));
    return `Story ${cut(id)} can never be done: its dependsOn names ${blame.map(quoted).join(", ")}, which is not in the list or waits for it in turn. Let it depend on stories that can be done.`;
  });
}
function neverReady(stories) {
  const waitingFor = /* @__PURE__ */ new Map();
  const waiters = /* @__PURE__ */ new Map();
  for (const [id, { passes, reviewStatus, dependsOn = [] }] of stories) {
    const others = new Set(passes || reviewStatus !== null ? [] : dependsOn);
    waitingFor.set(id, others);
    for (const other of others) {
      const known = waiters.get(other);
      if (known === void 0) waiters.set(other, [id]);
      else known.push(id);
    }
  }
  const ready = [...waitingFor.keys()].filter((id) => waitingFor.get(id)?.size === 0);
  for (const id of ready) {
    waitingFor.delete(id);
    for (const waiter of waiters.get(id) ?? []) {
      const others = waitingFor.get(waiter);
      others?.delete(id);
      if (others?.size === 0) ready.push(waiter);
    }
  }
  return new Set(waitingFor.keys());
}
var init_dependencies = __esm({
  "src/loops/stories/list/dependencies.ts"() {
    "use strict";
    init_wording();
  }
});

// src/loops/stories/list/snapshot.ts
function snapshotOf(tasks) {
  return new Map(
    tasks.userStories.map((story) => {
      const { passes, reviewStatus, reviewCount, reviewFeedback, title, description, acceptanceCriteria } = story;
      const text2 = description === void 0 ? { title } : { title, description };
      const { dependsOn = [] } = story;
      const review = { passes, reviewStatus, reviewCount, reviewFeedback };
      return [story.id, { ...review, ...text2, acceptanceCriteria, dependsOn }];
    })
  );
}
function deletedStories(before, after2) {
  const here = new Set(after2.userStories.map(({ id }) => id));
  return [...before.keys()].filter((id) => !here.has(id)).map(
    (id) => `Story ${cut(id)} was deleted. Stories may be added, split and reordered, never removed: put it back under its id (a split story keeps its id for the first part).`
  );
}
var init_snapshot = __esm({
  "src/loops/stories/list/snapshot.ts"() {
    "use strict";
    init_wording();
  }
});

// src/loops/stories/list/judge.ts
function judgeIteration(before, afterText, context) {
  return judgeAgainst(snapshotOf(before), afterText, { ...context, frozen: before });
}
function judgeAgainst(before, afterText, context) {
  const read = readTasks(afterText, context.shownPath);
  if (read.isValid) return judgeTasks(before, read.tasks, context);
  const { undocumented, problems } = read;
  const wrong = illegal("tasks", [`Task list validation failed: ${told(problems)}`]);
  const isForgotten = undocumented !== void 0 && judgeTasks(before, undocumented, context).kind !== "illegal";
  return isForgotten ? { kind: "undocumented", reason: wrong.reason } : wrong;
}
function judgeTasks(before, tasks, context) {
  const lost = [...before === null ? [] : lostFrom(before, tasks, context), ...thawed(context.frozen ?? null, tasks)];
  if (lost.length > 0) return illegal("tasks", [`Task list validation failed: ${told(lost)}`]);
  const legal = { kind: "legal", tasks, changes: changesOf2(before ?? /* @__PURE__ */ new Map(), tasks) };
  if (context.skipReview) return legal;
  const untrue = integrityProblems(tasks, context.reviewCap, before);
  const { mode } = context;
  if (before === null || mode === null) return untrue.length === 0 ? legal : illegal("review", [integrity(untrue)]);
  const { problems, noVerdict, atCap } = judgeTransitions(before, tasks, { ...context, mode });
  if (untrue.length > 0 || problems.length > 0)
    return illegal("review", [
      ...untrue.length > 0 ? [integrity(untrue)] : [],
      ...problems.length > 0 ? [transition(problems)] : []
    ]);
  if (noVerdict !== null) return { kind: "no-verdict", tasks, reason: transition([noVerdict]) };
  if (atCap !== null)
    return {
      kind: "at-cap",
      story: atCap.story,
      wasApproved: atCap.wasApproved,
      approved: approvedAtCap(tasks, atCap.story),
      changes: legal.changes,
      reason: transition([atCap.reason])
    };
  return legal;
}
function isCapApproval({ reviewStatus, reviewFeedback }) {
  return reviewStatus === "approved" && reviewFeedback.startsWith(CAP_PREFIX);
}
function approvedAtCap(tasks, id) {
  const approve2 = (story) => ({
    ...story,
    passes: true,
    reviewStatus: "approved",
    reviewFeedback: `${CAP_PREFIX} ${story.reviewFeedback}`,
    // Check 1 wants a word on what was done, and the reviewer need not have written one.
    notes: story.notes?.trim() ? story.notes : "Approved at the review cap; see reviewFeedback."
  });
  return { ...tasks, userStories: tasks.userStories.map((story) => story.id === id ? approve2(story) : story) };
}
function changesOf2(before, { userStories }) {
  const became = (status) => userStories.find(({ id, reviewStatus }) => {
    const was = before.get(id);
    return was !== void 0 && was.reviewStatus !== reviewStatus && reviewStatus === status;
  });
  const approved = became("approved");
  const sentBack = became("changes_requested");
  return {
    submitted: became("needs_review")?.id ?? null,
    approved: approved?.id ?? null,
    isCapApproval: approved !== void 0 && isCapApproval(approved),
    sentBack: sentBack?.id ?? null,
    countBefore: before.get((approved ?? sentBack)?.id ?? "")?.reviewCount ?? 0,
    added: userStories.filter(({ id }) => !before.has(id)).map(({ id }) => id)
  };
}
function lostFrom(before, tasks, { skipReview }) {
  return [
    ...deletedStories(before, tasks),
    ...unreachableStories(before, tasks),
    // With reviews it depends on the mode.
    ...skipReview ? movedCriteria(before, tasks, (id) => !before.has(id)).problems : []
  ];
}
function thawed(frozen, { verifyCommands }) {
  if (frozen === null || JSON.stringify(frozen.verifyCommands) === JSON.stringify(verifyCommands)) return [];
  return [
    `verifyCommands may not be changed by an iteration: ${changed("verifyCommands", frozen.verifyCommands, verifyCommands)}. Put it back as it was.`
  ];
}
function illegal(check, reasons) {
  return { kind: "illegal", check, reason: reasons.join("\n") };
}
function integrity(problems) {
  return `Review integrity check failed: ${told(problems)}`;
}
function transition(problems) {
  return `Transition validation failed: ${told(problems)}`;
}
function told(problems) {
  const rest = problems.length - MOST_PROBLEMS;
  const first = problems.slice(0, MOST_PROBLEMS).join("\n");
  return rest > 0 ? `${first}
(and ${rest} more)` : first;
}
var MOST_PROBLEMS;
var init_judge2 = __esm({
  "src/loops/stories/list/judge.ts"() {
    "use strict";
    init_allowed_changes();
    init_criteria();
    init_dependencies();
    init_integrity();
    init_snapshot();
    init_tasks();
    init_wording();
    MOST_PROBLEMS = 10;
  }
});

// src/loops/stories/list/mode.ts
function chooseMode(tasks, { skipReview }) {
  const stories = [...tasks.userStories].sort((a, b) => a.priority - b.priority);
  if (!skipReview) {
    const sentBack = stories.find(({ reviewStatus }) => reviewStatus === "changes_requested");
    if (sentBack !== void 0) return { mode: "review-fix", story: sentBack };
    const submitted = stories.find(({ reviewStatus }) => reviewStatus === "needs_review");
    if (submitted !== void 0) return { mode: "review", story: submitted };
  }
  const done = new Set(stories.filter((story) => isDone(story, { skipReview })).map(({ id }) => id));
  const open = stories.filter(({ passes, reviewStatus }) => !passes && (skipReview || reviewStatus === null));
  const ready = open.find(({ dependsOn = [] }) => dependsOn.every((id) => done.has(id)));
  return { mode: "implement", story: ready ?? null };
}
function isComplete2(tasks, reviewing) {
  return tasks.userStories.length > 0 && tasks.userStories.every((story) => isDone(story, reviewing));
}
function estimateBudget(tasks, { skipReview }) {
  const stories = tasks.userStories.filter((story) => !isDone(story, { skipReview })).length;
  const each = skipReview ? 1 : 3;
  const open = `${stories} ${stories === 1 ? "story" : "stories"}`;
  return `${open} × ~${plural(each, "iteration")} each = ~${plural(stories * each, "iteration")} needed`;
}
function isDone({ passes, reviewStatus }, { skipReview }) {
  return passes && (skipReview || reviewStatus === "approved");
}
var init_mode = __esm({
  "src/loops/stories/list/mode.ts"() {
    "use strict";
    init_usage();
  }
});

// src/loops/stories/inputs.ts
function storiesReader({ folder, request, copies, pluginDir }) {
  let isFirst = true;
  return (known, { last, beforePause }) => {
    const prompt2 = readPlainBytes((0, import_node_path50.join)(folder, "prompt.md"));
    if (prompt2 === null) throw unread(folder, request.ralphDir, "prompt.md");
    const list2 = readPlainBytes((0, import_node_path50.join)(folder, "tasks.json"));
    const prd = readPlainBytes((0, import_node_path50.join)(folder, "prd.md"), LARGEST_PRD);
    if (last === null) refuseUnreadable(folder, request.ralphDir, { "tasks.json": list2, "prd.md": prd });
    const now2 = { tasks: copies.keep(list2), prd: copies.keep(prd) };
    const inputs = {
      prompt: prompt2.toString("utf8"),
      promptCopy: copies.keep(prompt2),
      ...now2,
      between: changedBetween(last, now2, request, copies),
      inPause: changedInPause(beforePause, now2, copies),
      list: listState(list2?.toString("utf8") ?? null, request),
      pluginDir,
      verifyCommands: verifyCommandsIn(list2?.toString("utf8") ?? null)
    };
    const digest = digestOf(JSON.stringify(inputs));
    const isKnown = digest === known && !isFirst;
    isFirst = false;
    return { kind: "inputs", digest, ...isKnown ? {} : { inputs } };
  };
}
function changedBetween(last, now2, { reviewCap, skipReview }, copies) {
  if (last === null || last.tasks === now2.tasks && last.prd === now2.prd) return null;
  const advice = "Nothing may do that but a person who has paused the loop (ralph stories pause).";
  if (last.prd !== now2.prd) return { ...last, reason: `prd.md was changed between two iterations. ${advice}` };
  const before = readTasks(copies.text(last.tasks));
  if (!before.isValid) return null;
  const judging = { mode: "implement", story: null, reviewCap, skipReview };
  const verdict = judgeIteration(before.tasks, copies.text(now2.tasks), judging);
  if (verdict.kind !== "illegal") return null;
  return { ...last, reason: `tasks.json was changed between two iterations. ${advice}
${verdict.reason}` };
}
function changedInPause(before, now2, copies) {
  if (before === null) return [];
  const [was, is2] = [readTasks(copies.text(before.tasks)), readTasks(copies.text(now2.tasks))];
  const passed = new Set(was.isValid ? was.tasks.userStories.filter(({ passes }) => passes).map(({ id }) => id) : []);
  const approved = is2.isValid ? is2.tasks.userStories.filter(({ id, passes }) => passes && !passed.has(id)) : [];
  return [
    ...approved.map(({ id }) => `story ${id} was approved`),
    ...before.prd === now2.prd ? [] : ["prd.md was changed"]
  ];
}
function verifyCommandsIn(text2) {
  const read = readTasks(text2);
  return read.isValid ? (read.tasks.verifyCommands ?? []).filter((command) => command.trim() !== "") : [];
}
function wholeInputs(inputs, copies) {
  const prompt2 = copies.text(inputs.promptCopy) ?? inputs.prompt;
  const verify = inputs.verifyCommands === void 0 ? {} : { verifyCommands: verifyCommandsIn(copies.text(inputs.tasks)) };
  return { ...inputs, prompt: prompt2, ...verify };
}
function refuseUnready(folder, request, pluginDir) {
  const { ralphDir } = request;
  const text2 = readPlain((0, import_node_path50.join)(folder, "tasks.json"));
  if (text2 === null) throw unread(folder, ralphDir, "tasks.json");
  if (readPlain((0, import_node_path50.join)(folder, "prompt.md")) === null) throw unread(folder, ralphDir, "prompt.md");
  const prd = (0, import_node_fs47.lstatSync)((0, import_node_path50.join)(folder, "prd.md"), { throwIfNoEntry: false });
  if (prd?.isFile() && prd.size > LARGEST_PRD)
    throw new RalphError("STORIES_FILE", `${ralphDir}/prd.md is larger than ${LARGEST_PRD} bytes`, { exitCode: 2 });
  const read = readTasks(text2);
  if (read.isValid) {
    const disagreement = disagreementIn(read.tasks, request);
    if (disagreement === null) return read.tasks;
    throw new RalphError("TASKS_FILE", disagreement.reason, { hint: disagreement.hint, exitCode: 2 });
  }
  throw new RalphError("TASKS_FILE", invalidReason(text2, read.problems, ralphDir), {
    hint: `Fill it in by hand, or have it planned: ${planningCommand(pluginDir)}`,
    exitCode: 2
  });
}
function listState(text2, request) {
  const { ralphDir, skipReview } = request;
  const read = readTasks(text2, `${ralphDir}/tasks.json`);
  if (!read.isValid) return { is: "invalid", reason: invalidReason(text2, read.problems, ralphDir) };
  const disagreement = disagreementIn(read.tasks, request);
  if (disagreement !== null) return { is: "invalid", ...disagreement };
  if (isComplete2(read.tasks, { skipReview })) return { is: "complete" };
  const { mode, story } = chooseMode(read.tasks, { skipReview });
  if (story === null) return { is: "waiting", reason: waitingReason(read.tasks, ralphDir) };
  const { id, title, reviewCount } = story;
  return { is: "open", mode, story: { id, title, reviewCount } };
}
function disagreementIn(tasks, { ralphDir, skipReview, reviewCap }) {
  const [first, ...more] = skipReview ? [] : integrityProblems(tasks, reviewCap, snapshotOf(tasks));
  if (first === void 0) return null;
  return {
    reason: `${ralphDir}/tasks.json does not agree with its reviews: ${first}${othersThan(more)}`,
    hint: 'Put it right by hand: to have a story reviewed, "passes": false and "reviewStatus": "needs_review"; to have it done again, false and null. Or go on without reviews: ralph stories run --skip-review'
  };
}
function othersThan(more) {
  return more.length === 0 ? "" : ` (and ${more.length} more)`;
}
function invalidReason(text2, problems, ralphDir) {
  if (text2 !== null && !isJson(text2)) return `${ralphDir}/tasks.json is not valid JSON${whereIn(text2)}`;
  if (text2 !== null && isTemplate(text2))
    return `${ralphDir}/tasks.json is still the template: no story is planned in it yet`;
  const [first = "", ...more] = problems;
  return `${ralphDir}/tasks.json is not a task list: ${first}${othersThan(more)}`;
}
function isTemplate(text2) {
  const list2 = parsedJson(text2);
  const stories = isFields(list2) && Array.isArray(list2.userStories) ? list2.userStories : [];
  return stories.length > 0 && stories.every(isBlank);
}
function isBlank(story) {
  if (!isFields(story)) return false;
  const { title, description, acceptanceCriteria } = story;
  return title === "" && description === "" && Array.isArray(acceptanceCriteria) && acceptanceCriteria.length === 0;
}
function waitingReason({ userStories }, ralphDir) {
  if (userStories.length === 0) return `${ralphDir}/tasks.json has no stories`;
  const open = userStories.filter(({ passes }) => !passes);
  const waits = open.map(({ id, dependsOn = [] }) => `${id} (dependsOn ${dependsOn.join(", ") || "nothing"})`);
  return `no story is ready: ${waits.join("; ")} in ${ralphDir}/tasks.json`;
}
function refuseUnreadable(folder, ralphDir, read) {
  for (const [name, content] of Object.entries(read)) {
    const isThere = (0, import_node_fs47.lstatSync)((0, import_node_path50.join)(folder, name), { throwIfNoEntry: false }) !== void 0;
    if (content === null && isThere) throw unread(folder, ralphDir, name);
  }
  (0, import_node_fs47.accessSync)((0, import_node_path50.join)(folder, "tasks.json"), import_node_fs47.constants.W_OK);
}
function unread(folder, ralphDir, name) {
  const path = (0, import_node_path50.join)(folder, name);
  if ((0, import_node_fs47.lstatSync)(path, { throwIfNoEntry: false }) === void 0) return missing(ralphDir, name);
  return new RalphError("STORIES_FILE", `cannot read ${ralphDir}/${name}: ${whyUnread(path)}`, {
    hint: `Put a file there that you can read: ${path}`,
    exitCode: 2
  });
}
function missing(ralphDir, name) {
  return new RalphError("STORIES_FILE", `${ralphDir}/${name} not found`, {
    hint: `Prepare the project first: ralph stories init${ralphDir === "ralph" ? "" : ` --ralph-dir ${quoteWord(ralphDir)}`}`,
    exitCode: 2
  });
}
function isJson(text2) {
  try {
    JSON.parse(text2);
    return true;
  } catch {
    return false;
  }
}
var import_node_fs47, import_node_path50;
var init_inputs = __esm({
  "src/loops/stories/inputs.ts"() {
    "use strict";
    import_node_fs47 = require("node:fs");
    import_node_path50 = require("node:path");
    init_error();
    init_digest();
    init_quote_word();
    init_plain_file();
    init_plugin_folder();
    init_project_file();
    init_integrity();
    init_json();
    init_judge2();
    init_mode();
    init_snapshot();
    init_tasks();
  }
});

// src/config/merge.ts
function deepMerge(base, over) {
  if (!isPlain(base) || !isPlain(over)) return over;
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const present = Object.hasOwn(merged, key) ? merged[key] : void 0;
    if (value === null) {
      delete merged[key];
      continue;
    }
    Object.defineProperty(merged, key, {
      value: deepMerge(present ?? {}, value),
      enumerable: true,
      configurable: true,
      writable: true
    });
  }
  return merged;
}
function isPlain(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
var init_merge = __esm({
  "src/config/merge.ts"() {
    "use strict";
  }
});

// src/config/nearest.ts
function nearest(word, known) {
  const scored = known.map((candidate) => ({
    candidate,
    steps: distance(word.toLowerCase(), candidate.toLowerCase())
  }));
  const [best] = scored.sort((a, b) => a.steps - b.steps);
  return best !== void 0 && best.steps <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next2 = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed2 = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next2.push(Math.min(changed2, (row[j + 1] ?? 0) + 1, (next2[j] ?? 0) + 1));
    }
    row = next2;
  }
  return row[b.length] ?? 0;
}
var init_nearest = __esm({
  "src/config/nearest.ts"() {
    "use strict";
  }
});

// node_modules/zod/v4/core/util.js
function getEnumValues(entries) {
  const numericValues = Object.values(entries).filter((v) => typeof v === "number");
  const values = Object.entries(entries).filter(([k, _]) => numericValues.indexOf(+k) === -1).map(([_, v]) => v);
  return values;
}
function jsonStringifyReplacer(_, value) {
  if (typeof value === "bigint")
    return value.toString();
  return value;
}
function cached(getter) {
  return new Cached(getter);
}
function nullish(input) {
  return input === null || input === void 0;
}
function cleanRegex(source) {
  const start = source.startsWith("^") ? 1 : 0;
  const end3 = source.endsWith("$") ? source.length - 1 : source.length;
  return source.slice(start, end3);
}
function assignProp(target, prop, value) {
  Object.defineProperty(target, prop, {
    value,
    writable: true,
    enumerable: true,
    configurable: true
  });
}
function isObject2(data) {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
function isPlainObject(o) {
  if (isObject2(o) === false)
    return false;
  const ctor = o.constructor;
  if (ctor === void 0)
    return true;
  if (typeof ctor !== "function")
    return true;
  const prot = ctor.prototype;
  if (isObject2(prot) === false)
    return false;
  if (Object.prototype.hasOwnProperty.call(prot, "isPrototypeOf") === false) {
    return false;
  }
  return true;
}
function shallowClone(o) {
  if (isPlainObject(o))
    return { ...o };
  if (Array.isArray(o))
    return [...o];
  if (o instanceof Map)
    return new Map(o);
  if (o instanceof Set)
    return new Set(o);
  return o;
}
function escapeRegex(str) {
  return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function clone(inst, def, params) {
  const cl = new inst._zod.constr(def ?? inst._zod.def);
  if (!def || params?.parent)
    cl._zod.parent = inst;
  return cl;
}
function normalizeParams(_params) {
  const params = _params;
  if (!params)
    return {};
  if (typeof params === "string")
    return { error: () => params };
  if (params?.message !== void 0) {
    if (params?.error !== void 0)
      throw new Error("Cannot specify both `message` and `error` params");
    params.error = params.message;
  }
  delete params.message;
  if (typeof params.error === "string")
    return { ...params, error: () => params.error };
  return params;
}
function optionalKeys(shape) {
  return Object.keys(shape).filter((k) => {
    return shape[k]._zod.optin !== void 0 && shape[k]._zod.optout === "optional";
  });
}
function aborted(x, startIndex = 0) {
  if (x.aborted === true)
    return true;
  for (let i = startIndex; i < x.issues.length; i++) {
    if (x.issues[i]?.continue !== true) {
      return true;
    }
  }
  return false;
}
function explicitlyAborted(x, startIndex = 0) {
  if (x.aborted === true)
    return true;
  for (let i = startIndex; i < x.issues.length; i++) {
    if (x.issues[i]?.continue === false) {
      return true;
    }
  }
  return false;
}
function prefixIssues(path, issues) {
  return issues.map((iss) => {
    var _a3;
    (_a3 = iss).path ?? (_a3.path = []);
    iss.path.unshift(path);
    return iss;
  });
}
function unwrapMessage(message) {
  return typeof message === "string" ? message : message?.message;
}
function sizeCaps(defChecks) {
  const caps = [];
  for (const ch of defChecks ?? []) {
    const d = ch._zod.def;
    if (!/_(length|size)$|_equals$/.test(d.check))
      break;
    const max = d.maximum ?? d.length ?? d.size;
    if (max >= 0)
      caps.push([max, ch]);
  }
  return caps;
}
function attachSchema(issues, start, inst) {
  var _a3;
  for (let i = start; i < issues.length; i++) {
    (_a3 = issues[i]).schema ?? (_a3.schema = inst);
  }
}
function finalizeIssue(iss, ctx, config2) {
  var _a3;
  const traits = iss.inst?._zod?.traits;
  if (traits?.has("$ZodType")) {
    if (traits.has("$ZodCheck"))
      (_a3 = iss).schema ?? (_a3.schema = iss.inst);
    else
      iss.schema = iss.inst;
  }
  const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : void 0;
  const message = iss.message ? iss.message : unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ?? unwrapMessage(schemaError?.(iss)) ?? unwrapMessage(ctx?.error?.(iss)) ?? unwrapMessage(config2.customError?.(iss)) ?? unwrapMessage(config2.localeError?.(iss)) ?? "Invalid input";
  const full = {};
  for (const k of Object.keys(iss)) {
    if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__")
      continue;
    full[k] = iss[k];
  }
  full.path ?? (full.path = []);
  full.message = message;
  if (ctx?.reportInput) {
    full.input = iss.input;
  }
  return full;
}
function codePointLength(str) {
  const units = str.length;
  if (!highSurrogate.test(str))
    return units;
  let count2 = units;
  for (let i = 0; i < units - 1; i++) {
    if ((str.charCodeAt(i) & 64512) === 55296 && (str.charCodeAt(i + 1) & 64512) === 56320) {
      count2--;
      i++;
    }
  }
  return count2;
}
function getLengthableOrigin(input) {
  if (Array.isArray(input))
    return "array";
  if (typeof input === "string")
    return "string";
  return "unknown";
}
function issue(...args) {
  const [iss, input, inst] = args;
  if (typeof iss === "string") {
    return {
      message: iss,
      code: "custom",
      input,
      inst
    };
  }
  return { ...iss };
}
function members(proto, table) {
  for (const key in table) {
    const desc = Object.getOwnPropertyDescriptor(table, key);
    if (desc.get)
      Object.defineProperty(proto, key, { ...desc, enumerable: false });
    else
      defineBound(proto, key, desc.value);
  }
}
function own(inst, key, value, enumerable = true) {
  Object.defineProperty(inst, key, { configurable: true, writable: true, enumerable, value });
  return value;
}
function hide(inst, key, value) {
  return own(inst, key, value, false);
}
function defineBound(proto, key, fn) {
  Object.defineProperty(proto, key, {
    configurable: true,
    get() {
      return this == null ? fn : own(this, key, fn.bind(this));
    },
    set(value) {
      own(this, key, value);
    }
  });
}
function claim2(inst, sentinel) {
  const proto = Object.getPrototypeOf(inst);
  return sentinel in proto ? void 0 : proto;
}
function defineLazyInternal(inst, key, compute) {
  const proto = Object.getPrototypeOf(inst._zod);
  if (key in proto && installing !== inst._zod) {
    installing = void 0;
    return;
  }
  installing = inst._zod;
  Object.defineProperty(proto, key, {
    configurable: true,
    get() {
      Object.defineProperty(this, key, breaker);
      const outer = broke;
      broke = false;
      try {
        const value = compute(this);
        if (broke)
          delete this[key];
        else
          Object.defineProperty(this, key, { configurable: true, writable: true, value });
        broke = broke || outer;
        return value;
      } catch (err) {
        delete this[key];
        broke = broke || outer;
        throw err;
      }
    },
    set(value) {
      Object.defineProperty(this, key, { configurable: true, writable: true, value });
    }
  });
}
function installLazyProp(inst, key, make3, enumerable) {
  const proto = claim2(inst, key);
  if (!proto)
    return;
  Object.defineProperty(proto, key, {
    configurable: true,
    get() {
      const desc = { configurable: true, writable: true, enumerable, value: void 0 };
      Object.defineProperty(this, key, desc);
      desc.value = make3(this);
      Object.defineProperty(this, key, desc);
      return desc.value;
    },
    set(value) {
      Object.defineProperty(this, key, { configurable: true, writable: true, enumerable, value });
    }
  });
}
var Cached, captureStackTrace, propertyKeyTypes, NUMBER_FORMAT_RANGES, highSurrogate, installing, broke, breaker;
var init_util = __esm({
  "node_modules/zod/v4/core/util.js"() {
    Cached = class {
      constructor(getter) {
        this._getter = getter;
        this._value = void 0;
      }
      get value() {
        const getter = this._getter;
        if (getter !== void 0) {
          this._value = getter();
          this._getter = void 0;
        }
        return this._value;
      }
    };
    captureStackTrace = "captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => {
    };
    propertyKeyTypes = /* @__PURE__ */ new Set(["string", "number", "symbol"]);
    NUMBER_FORMAT_RANGES = /* @__PURE__ */ (() => ({
      safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      int32: [-2147483648, 2147483647],
      uint32: [0, 4294967295],
      float32: [-34028234663852886e22, 34028234663852886e22],
      float64: [-Number.MAX_VALUE, Number.MAX_VALUE]
    }))();
    highSurrogate = /[\uD800-\uDBFF]/;
    broke = false;
    breaker = {
      configurable: true,
      get() {
        broke = true;
        return void 0;
      }
    };
  }
});

// node_modules/zod/v4/core/core.js
function newError(Definition) {
  const E = _E;
  if (E) {
    const saved = E.stackTraceLimit;
    if (typeof saved === "number") {
      try {
        E.stackTraceLimit = 0;
      } catch {
        _E = null;
        return new Definition();
      }
      try {
        return new Definition();
      } finally {
        E.stackTraceLimit = saved;
      }
    }
  }
  return new Definition();
}
// @__NO_SIDE_EFFECTS__
function $constructor(name, initializer2, proto, params) {
  const zodProto = {};
  function Internals(def) {
    this.def = def;
    this.constr = _;
    this.traits = /* @__PURE__ */ new Set();
  }
  Internals.prototype = zodProto;
  const protoMembers = proto;
  const initialized = protoMembers && /* @__PURE__ */ new WeakSet();
  function init(inst, def) {
    if (!inst._zod) {
      _zodDesc.value = new Internals(def);
      try {
        Object.defineProperty(inst, "_zod", _zodDesc);
      } finally {
        _zodDesc.value = void 0;
      }
    } else if (inst._zod.traits.has(name)) {
      return;
    }
    inst._zod.traits.add(name);
    initializer2(inst, def);
    if (initialized) {
      const own2 = Object.getPrototypeOf(inst);
      const ctorProto = inst._zod.constr.prototype;
      let up = own2;
      while (up && up !== ctorProto)
        up = Object.getPrototypeOf(up);
      const target = up ?? own2;
      if (!initialized.has(target)) {
        initialized.add(target);
        members(target, protoMembers);
      }
    }
    const proto2 = _.prototype;
    for (const k in proto2) {
      if (!Object.prototype.hasOwnProperty.call(proto2, k))
        continue;
      if (!(k in inst)) {
        inst[k] = proto2[k].bind(inst);
      }
    }
  }
  const Parent = params?.Parent ?? Object;
  class Definition extends Parent {
  }
  Object.defineProperty(Definition, "name", { value: name });
  function _(def) {
    const inst = params?.Parent ? newError(Definition) : this;
    init(inst, def);
    const deferred = inst._zod.deferred;
    if (deferred) {
      for (const fn of deferred) {
        fn();
      }
      inst._zod.deferred = void 0;
    }
    const pp = globalThis.__zod_globalConfig?.postProcessor;
    if (pp)
      pp(inst);
    return inst;
  }
  Object.defineProperty(_, "init", { value: init });
  Object.defineProperty(_, Symbol.hasInstance, {
    value: (inst) => {
      if (params?.Parent && inst instanceof params.Parent)
        return true;
      return inst?._zod?.traits?.has(name);
    }
  });
  Object.defineProperty(_, "name", { value: name });
  return _;
}
function config(newConfig) {
  if (newConfig)
    Object.assign(globalConfig, newConfig);
  return globalConfig;
}
var _a, _zodDesc, _E, $ZodAsyncError, $ZodEncodeError, globalConfig;
var init_core = __esm({
  "node_modules/zod/v4/core/core.js"() {
    init_util();
    _zodDesc = { value: void 0, enumerable: false };
    _E = "captureStackTrace" in Error ? Error : null;
    $ZodAsyncError = class extends Error {
      constructor() {
        super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
      }
    };
    $ZodEncodeError = class extends Error {
      constructor(name) {
        super(`Encountered unidirectional transform during encode: ${name}`);
        this.name = "ZodEncodeError";
      }
    };
    (_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});
    globalConfig = globalThis.__zod_globalConfig;
  }
});

// node_modules/zod/v4/core/errors.js
function _getMessage() {
  const internals = this._zod;
  internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
  return internals.message;
}
function _setMessage(value) {
  this._zod.message = value;
}
var _messageDesc, _issuesDesc, _installedToString, initializer, $ZodError, $ZodRealError;
var init_errors = __esm({
  "node_modules/zod/v4/core/errors.js"() {
    init_core();
    init_util();
    _messageDesc = {
      get: _getMessage,
      set: _setMessage,
      enumerable: true,
      configurable: true
    };
    _issuesDesc = { value: void 0, enumerable: false };
    _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
    initializer = (inst, def) => {
      inst.name = "$ZodError";
      _issuesDesc.value = def;
      Object.defineProperty(inst, "issues", _issuesDesc);
      _issuesDesc.value = void 0;
      Object.defineProperty(inst, "message", _messageDesc);
      const proto = Object.getPrototypeOf(inst);
      if (!_installedToString.has(proto)) {
        _installedToString.add(proto);
        Object.defineProperty(proto, "toString", {
          configurable: true,
          enumerable: false,
          get() {
            const value = () => this.message;
            Object.defineProperty(this, "toString", { value, configurable: true, writable: true });
            return value;
          },
          set(value) {
            Object.defineProperty(this, "toString", { value, configurable: true, writable: true });
          }
        });
      }
    };
    $ZodError = $constructor("$ZodError", initializer);
    $ZodRealError = $constructor("$ZodError", initializer, void 0, {
      Parent: Error
    });
  }
});

// node_modules/zod/v4/core/parse.js
function failure2(Err, issues, ctx) {
  let error;
  return {
    success: false,
    get error() {
      if (!error) {
        error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
        issues = void 0;
        ctx = void 0;
      }
      return error;
    },
    set error(e) {
      error = e;
      issues = void 0;
      ctx = void 0;
    }
  };
}
var _parse, parse2, _parseAsync, parseAsync, _safeParse, safeParse, _safeParseAsync, safeParseAsync;
var init_parse = __esm({
  "node_modules/zod/v4/core/parse.js"() {
    init_core();
    init_errors();
    init_util();
    _parse = (_Err) => {
      const fn = (schema, value, _ctx, _params) => {
        const ctx = _ctx ? { ..._ctx, async: false } : { async: false };
        const result = schema._zod.run({ value, issues: [] }, ctx);
        if (result instanceof Promise) {
          throw new $ZodAsyncError();
        }
        if (result.issues.length) {
          const e = new (_params?.Err ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
          captureStackTrace(e, _params?.callee ?? fn);
          throw e;
        }
        return result.value;
      };
      return fn;
    };
    parse2 = /* @__PURE__ */ _parse($ZodRealError);
    _parseAsync = (_Err) => {
      const fn = async (schema, value, _ctx, params) => {
        const ctx = _ctx ? { ..._ctx, async: true } : { async: true };
        let result = schema._zod.run({ value, issues: [] }, ctx);
        if (result instanceof Promise)
          result = await result;
        if (result.issues.length) {
          const e = new (params?.Err ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
          captureStackTrace(e, params?.callee ?? fn);
          throw e;
        }
        return result.value;
      };
      return fn;
    };
    parseAsync = /* @__PURE__ */ _parseAsync($ZodRealError);
    _safeParse = (_Err) => (schema, value, _ctx) => {
      const ctx = _ctx ? { ..._ctx, async: false } : { async: false };
      const result = schema._zod.run({ value, issues: [] }, ctx);
      if (result instanceof Promise) {
        throw new $ZodAsyncError();
      }
      return result.issues.length ? failure2(_Err, result.issues, ctx) : { success: true, data: result.value };
    };
    safeParse = /* @__PURE__ */ _safeParse($ZodRealError);
    _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
      const ctx = _ctx ? { ..._ctx, async: true } : { async: true };
      let result = schema._zod.run({ value, issues: [] }, ctx);
      if (result instanceof Promise)
        result = await result;
      return result.issues.length ? failure2(_Err, result.issues, ctx) : { success: true, data: result.value };
    };
    safeParseAsync = /* @__PURE__ */ _safeParseAsync($ZodRealError);
  }
});

// node_modules/zod/v4/core/regexes.js
var anyString, number, boolean;
var init_regexes = __esm({
  "node_modules/zod/v4/core/regexes.js"() {
    anyString = /^[\s\S]{0,}$/;
    number = /^-?\d+(?:\.\d+)?$/;
    boolean = /^(?:true|false)$/i;
  }
});

// node_modules/zod/v4/core/checks.js
var $ZodCheck, _whenHasLength, numericOriginMap, $ZodCheckGreaterThan, $ZodCheckNumberFormat, $ZodCheckMinLength;
var init_checks2 = __esm({
  "node_modules/zod/v4/core/checks.js"() {
    init_core();
    init_util();
    $ZodCheck = /* @__PURE__ */ $constructor("$ZodCheck", (inst, def) => {
      var _a3;
      inst._zod ?? (inst._zod = {});
      inst._zod.def = def;
      (_a3 = inst._zod).onattach ?? (_a3.onattach = []);
    });
    _whenHasLength = (payload) => {
      const val = payload.value;
      return !nullish(val) && val.length !== void 0;
    };
    numericOriginMap = {
      number: "number",
      bigint: "bigint",
      object: "date"
    };
    $ZodCheckGreaterThan = /* @__PURE__ */ $constructor("$ZodCheckGreaterThan", (inst, def) => {
      $ZodCheck.init(inst, def);
      const origin = numericOriginMap[typeof def.value];
      inst._zod.check = (payload) => {
        if (def.inclusive ? payload.value >= def.value : payload.value > def.value) {
          return;
        }
        payload.issues.push({
          origin: numericOriginMap[typeof payload.value] ?? origin,
          code: "too_small",
          minimum: typeof def.value === "object" ? def.value.getTime() : def.value,
          input: payload.value,
          inclusive: def.inclusive,
          inst,
          continue: !def.abort
        });
      };
    });
    $ZodCheckNumberFormat = /* @__PURE__ */ $constructor("$ZodCheckNumberFormat", (inst, def) => {
      $ZodCheck.init(inst, def);
      def.format = def.format || "float64";
      const isInt = def.format?.includes("int");
      const origin = isInt ? "int" : "number";
      const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
      inst._zod.check = (payload) => {
        const input = payload.value;
        if (isInt) {
          if (!Number.isInteger(input)) {
            payload.issues.push({
              expected: origin,
              format: def.format,
              code: "invalid_type",
              continue: false,
              input,
              inst
            });
            return;
          }
          if (!Number.isSafeInteger(input)) {
            if (input > 0) {
              payload.issues.push({
                input,
                code: "too_big",
                maximum: Number.MAX_SAFE_INTEGER,
                note: "Integers must be within the safe integer range.",
                inst,
                origin,
                inclusive: true,
                continue: !def.abort
              });
            } else {
              payload.issues.push({
                input,
                code: "too_small",
                minimum: Number.MIN_SAFE_INTEGER,
                note: "Integers must be within the safe integer range.",
                inst,
                origin,
                inclusive: true,
                continue: !def.abort
              });
            }
            return;
          }
        }
        if (input < minimum) {
          payload.issues.push({
            origin: "number",
            input,
            code: "too_small",
            minimum,
            inclusive: true,
            inst,
            continue: !def.abort
          });
        }
        if (input > maximum) {
          payload.issues.push({
            origin: "number",
            input,
            code: "too_big",
            maximum,
            inclusive: true,
            inst,
            continue: !def.abort
          });
        }
      };
    });
    $ZodCheckMinLength = /* @__PURE__ */ $constructor("$ZodCheckMinLength", (inst, def) => {
      var _a3;
      $ZodCheck.init(inst, def);
      (_a3 = inst._zod.def).when ?? (_a3.when = _whenHasLength);
      inst._zod.check = (payload) => {
        const input = payload.value;
        const units = input.length;
        const length = typeof input === "string" && units >= def.minimum && units < def.minimum * 2 ? codePointLength(input) : units;
        if (length >= def.minimum)
          return;
        const origin = getLengthableOrigin(input);
        payload.issues.push({
          origin,
          code: "too_small",
          minimum: def.minimum,
          inclusive: true,
          input,
          inst,
          continue: !def.abort
        });
      };
    });
  }
});

// node_modules/zod/v4/core/doc.js
var init_doc = __esm({
  "node_modules/zod/v4/core/doc.js"() {
  }
});

// node_modules/zod/v4/core/versions.js
var version2;
var init_versions = __esm({
  "node_modules/zod/v4/core/versions.js"() {
    version2 = {
      major: 4,
      minor: 6,
      patch: 7
    };
  }
});

// node_modules/zod/v4/core/schemas.js
async function validateAsync(inst, value) {
  const ctx = { async: true };
  return toStandardResult(await inst._zod.run({ value, issues: [] }, ctx), ctx);
}
function standardProps(inst) {
  return {
    validate: (value) => {
      const ctx = { async: false };
      try {
        const r = inst._zod.run({ value, issues: [] }, ctx);
        if (!(r instanceof Promise))
          return toStandardResult(r, ctx);
      } catch (_) {
      }
      return validateAsync(inst, value);
    },
    vendor: "zod",
    version: 1
  };
}
function capSize(inst, size) {
  const caps = sizeCaps(inst._zod.def.checks);
  if (!caps.length)
    return;
  const cap = Math.min(...caps.map((c) => c[0]));
  const parse3 = inst._zod.parse;
  inst._zod.parse = (payload, ctx) => {
    const n = size(payload.value);
    if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
      for (const [max, ch] of sizeCaps(inst._zod.def.checks)) {
        if (n > max && ch._zod.def.when(payload)) {
          const start = payload.issues.length;
          ch._zod.check(payload);
          payload.issues[start].continue = false;
          attachSchema(payload.issues, start, inst);
          return payload;
        }
      }
    }
    return parse3(payload, ctx);
  };
}
function handleArrayResult(result, final, index) {
  if (result.issues.length) {
    final.issues.push(...prefixIssues(index, result.issues));
  }
  final.value[index] = result.value;
}
function handlePropertyResult(result, final, key, input, optin, optout) {
  const isPresent = key in input;
  const isOptionalOut = optout === "optional";
  if (!isPresent && isOptionalOut && optin === "optional") {
    return;
  }
  if (result.issues.length) {
    if (optin !== void 0 && isOptionalOut && !isPresent) {
      return;
    }
    final.issues.push(...prefixIssues(key, result.issues));
  }
  if (!isPresent && optin === void 0) {
    if (!result.issues.length) {
      final.issues.push({
        code: "invalid_type",
        expected: "nonoptional",
        input: void 0,
        path: [key]
      });
    }
    return;
  }
  if (result.value === void 0) {
    if (isPresent || optin === "defaulted" && !isOptionalOut) {
      final.value[key] = void 0;
    }
  } else {
    final.value[key] = result.value;
  }
}
function normalizeDef(def) {
  const keys = Object.keys(def.shape);
  const ownSymbols = Object.getOwnPropertySymbols(def.shape);
  const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
  const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
  for (const k of allKeys) {
    if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) {
      throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
    }
  }
  const okeys = optionalKeys(def.shape);
  return {
    ...def,
    allKeys,
    symbolKeys,
    // string-only: handleCatchall matches it against `for...in`, which never yields a symbol
    keySet: new Set(keys),
    numKeys: keys.length,
    optionalKeys: new Set(okeys)
  };
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
  const unrecognized = [];
  const keySet = def.keySet;
  const _catchall = def.catchall._zod;
  const t = _catchall.def.type;
  const optin = _catchall.optin;
  const optout = _catchall.optout;
  let seen = 0;
  for (const key in input) {
    if (abortEarly && payload.issues.length !== seen) {
      if (aborted(payload, seen))
        break;
      seen = payload.issues.length;
    }
    if (keySet.has(key))
      continue;
    if (key === "__proto__") {
      if (t === "never")
        unrecognized.push(key);
      continue;
    }
    if (t === "never") {
      unrecognized.push(key);
      continue;
    }
    const r = _catchall.run({ value: input[key], issues: [] }, ctx);
    if (r instanceof Promise) {
      proms.push(r.then((r2) => handlePropertyResult(r2, payload, key, input, optin, optout)));
    } else {
      handlePropertyResult(r, payload, key, input, optin, optout);
    }
  }
  if (unrecognized.length) {
    payload.issues.push({
      code: "unrecognized_keys",
      keys: unrecognized,
      input,
      inst,
      // Describes the shape of the input, not the validity of the parsed value, so it never aborts. The parse still fails; the schema's own checks just get to run first, and an enclosing intersection can reconcile the key against a sibling operand.
      continue: true
    });
  }
  if (!proms.length)
    return payload;
  return Promise.all(proms).then(() => {
    return payload;
  });
}
function handleOptionalResult(payload, result) {
  payload.value = result.issues.length ? void 0 : result.value;
  return payload;
}
function handleDefaultResult(payload, def) {
  if (payload.value === void 0) {
    payload.value = def.defaultValue;
  }
  return payload;
}
function handlePipeResult(left, next2, ctx) {
  if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
    left.aborted = true;
    return left;
  }
  return next2._zod.run({ value: left.value, issues: left.issues }, ctx);
}
function handleRefineResult(result, payload, input, inst) {
  if (!result) {
    const _iss = {
      code: "custom",
      input,
      inst,
      // incorporates params.error into issue reporting
      path: [...inst._zod.def.path ?? []],
      // incorporates params.error into issue reporting
      continue: !inst._zod.def.abort
      // params: inst._zod.def.params,
    };
    if (inst._zod.def.params)
      _iss.params = inst._zod.def.params;
    payload.issues.push(issue(_iss));
  }
}
var $ZodType, toStandardResult, $ZodString, $ZodNumber, $ZodNumberFormat, $ZodBoolean, $ZodNever, arraySize, $ZodArray, NO_SYMBOL_KEYS, $ZodObject, $ZodEnum, $ZodTransform, $ZodOptional, $ZodDefault, $ZodPrefault, $ZodPipe, $ZodCustom;
var init_schemas = __esm({
  "node_modules/zod/v4/core/schemas.js"() {
    init_checks2();
    init_core();
    init_regexes();
    init_util();
    init_versions();
    init_util();
    $ZodType = /* @__PURE__ */ $constructor("$ZodType", (inst, def) => {
      var _a3;
      inst ?? (inst = {});
      inst._zod.def = def;
      inst._zod.bag = inst._zod.bag || {};
      inst._zod.version = version2;
      const defChecks = inst._zod.def.checks;
      const checks = inst._zod.traits.has("$ZodCheck") ? [inst, ...defChecks ?? []] : defChecks?.length ? [...defChecks] : [];
      for (const ch of checks) {
        for (const fn of ch._zod.onattach) {
          fn(inst);
        }
      }
      if (checks.length === 0) {
        (_a3 = inst._zod).deferred ?? (_a3.deferred = []);
        inst._zod.deferred?.push(() => {
          inst._zod.run = inst._zod.parse;
        });
      } else {
        const runChecks = (payload, checks2, ctx) => {
          if (payload.memo)
            return payload;
          let isAborted = aborted(payload);
          let asyncResult;
          for (const ch of checks2) {
            if (ch._zod.def.when) {
              if (explicitlyAborted(payload))
                continue;
              const shouldRun = ch._zod.def.when(payload);
              if (!shouldRun)
                continue;
            } else if (isAborted) {
              continue;
            }
            const currLen = payload.issues.length;
            const _ = ch._zod.check(payload);
            if (_ instanceof Promise && ctx?.async === false) {
              throw new $ZodAsyncError();
            }
            if (asyncResult || _ instanceof Promise) {
              asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
                await _;
                const nextLen = payload.issues.length;
                if (nextLen === currLen)
                  return;
                attachSchema(payload.issues, currLen, inst);
                if (!isAborted)
                  isAborted = aborted(payload, currLen);
              });
            } else {
              const nextLen = payload.issues.length;
              if (nextLen === currLen)
                continue;
              attachSchema(payload.issues, currLen, inst);
              if (!isAborted)
                isAborted = aborted(payload, currLen);
            }
          }
          if (asyncResult) {
            return asyncResult.then(() => {
              return payload;
            });
          }
          return payload;
        };
        const handleCanaryResult = (canary, payload, ctx) => {
          if (aborted(canary)) {
            canary.aborted = true;
            return canary;
          }
          const checkResult = runChecks(payload, checks, ctx);
          if (checkResult instanceof Promise) {
            if (ctx.async === false)
              throw new $ZodAsyncError();
            return checkResult.then((checkResult2) => inst._zod.parse(checkResult2, ctx));
          }
          return inst._zod.parse(checkResult, ctx);
        };
        inst._zod.run = (payload, ctx) => {
          if (ctx.skipChecks) {
            return inst._zod.parse(payload, ctx);
          }
          if (ctx.direction === "backward") {
            const canary = inst._zod.parse({ value: payload.value, issues: [] }, { ...ctx, skipChecks: true });
            if (canary instanceof Promise) {
              return canary.then((canary2) => {
                return handleCanaryResult(canary2, payload, ctx);
              });
            }
            return handleCanaryResult(canary, payload, ctx);
          }
          const result = inst._zod.parse(payload, ctx);
          if (result instanceof Promise) {
            if (ctx.async === false)
              throw new $ZodAsyncError();
            return result.then((result2) => runChecks(result2, checks, ctx));
          }
          return runChecks(result, checks, ctx);
        };
      }
    }, {
      // Wrappers extend this by installing a richer factory over it; reading it eagerly would defeat the laziness.
      get "~standard"() {
        return hide(this, "~standard", standardProps(this));
      },
      set "~standard"(value) {
        own(this, "~standard", value);
      }
    });
    toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
    $ZodString = /* @__PURE__ */ $constructor("$ZodString", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = def.pattern ?? anyString;
      inst._zod.parse = (payload, _) => {
        if (def.coerce)
          try {
            payload.value = String(payload.value);
          } catch (_2) {
          }
        if (typeof payload.value === "string")
          return payload;
        payload.issues.push({
          expected: "string",
          code: "invalid_type",
          input: payload.value,
          inst
        });
        return payload;
      };
    });
    $ZodNumber = /* @__PURE__ */ $constructor("$ZodNumber", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = number;
      inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
          try {
            payload.value = Number(payload.value);
          } catch (_) {
          }
        const input = payload.value;
        if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) {
          return payload;
        }
        const received = typeof input === "number" ? Number.isNaN(input) ? "NaN" : !Number.isFinite(input) ? String(input) : void 0 : void 0;
        payload.issues.push({
          expected: "number",
          code: "invalid_type",
          input,
          inst,
          ...received ? { received } : {}
        });
        return payload;
      };
    });
    $ZodNumberFormat = /* @__PURE__ */ $constructor("$ZodNumberFormat", (inst, def) => {
      $ZodCheckNumberFormat.init(inst, def);
      $ZodNumber.init(inst, def);
    });
    $ZodBoolean = /* @__PURE__ */ $constructor("$ZodBoolean", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = boolean;
      inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
          try {
            payload.value = Boolean(payload.value);
          } catch (_) {
          }
        const input = payload.value;
        if (typeof input === "boolean")
          return payload;
        payload.issues.push({
          expected: "boolean",
          code: "invalid_type",
          input,
          inst
        });
        return payload;
      };
    });
    $ZodNever = /* @__PURE__ */ $constructor("$ZodNever", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.parse = (payload, _ctx) => {
        payload.issues.push({
          expected: "never",
          code: "invalid_type",
          input: payload.value,
          inst
        });
        return payload;
      };
    });
    arraySize = (input) => Array.isArray(input) ? input.length : -1;
    $ZodArray = /* @__PURE__ */ $constructor("$ZodArray", (inst, def) => {
      $ZodType.init(inst, def);
      const memo = globalConfig.memoizer;
      memo?.attach(inst);
      inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!Array.isArray(input)) {
          payload.issues.push({
            expected: "array",
            code: "invalid_type",
            input,
            inst
          });
          return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
        const proms = [];
        const abortEarly = ctx?.abortEarly;
        for (let i = 0; i < input.length; i++) {
          const item = input[i];
          const result = def.element._zod.run({
            value: item,
            issues: []
          }, ctx);
          if (result instanceof Promise) {
            proms.push(result.then((result2) => handleArrayResult(result2, payload, i)));
          } else {
            handleArrayResult(result, payload, i);
            if (abortEarly && result.issues.length !== 0 && aborted(result))
              break;
          }
        }
        if (proms.length) {
          return Promise.all(proms).then(() => payload);
        }
        return payload;
      };
      capSize(inst, arraySize);
    });
    NO_SYMBOL_KEYS = [];
    $ZodObject = /* @__PURE__ */ $constructor("$ZodObject", (inst, def) => {
      $ZodType.init(inst, def);
      const desc = Object.getOwnPropertyDescriptor(def, "shape");
      const sh = desc?.get ? desc.get.raw : def.shape ?? {};
      if (sh) {
        const get = () => {
          const newSh = { ...sh };
          Object.defineProperty(def, "shape", { value: newSh });
          get.raw = newSh;
          return newSh;
        };
        get.raw = sh;
        Object.defineProperty(def, "shape", { get });
      }
      const _normalized = cached(() => normalizeDef(def));
      defineLazyInternal(inst, "propValues", (zod) => {
        const shape = zod.def.shape;
        const propValues = {};
        for (const key in shape) {
          const field = shape[key]._zod;
          if (field.values) {
            if (!Object.prototype.hasOwnProperty.call(propValues, key)) {
              assignProp(propValues, key, /* @__PURE__ */ new Set());
            }
            for (const v of field.values)
              propValues[key].add(v);
            if (field.optin !== void 0)
              propValues[key].add(void 0);
          }
        }
        return propValues;
      });
      const isObject3 = isObject2;
      const catchall = def.catchall;
      let value;
      const memo = globalConfig.memoizer;
      memo?.attach(inst);
      inst._zod.parse = (payload, ctx) => {
        value ?? (value = _normalized.value);
        const input = payload.value;
        if (!isObject3(input)) {
          payload.issues.push({
            expected: "object",
            code: "invalid_type",
            input,
            inst
          });
          return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
        const proms = [];
        const shape = value.shape;
        const abortEarly = ctx?.abortEarly;
        let seen = payload.issues.length;
        for (const key of value.allKeys) {
          if (abortEarly && payload.issues.length !== seen) {
            if (aborted(payload, seen))
              break;
            seen = payload.issues.length;
          }
          if (key === "__proto__")
            continue;
          const el = shape[key];
          const optin = el._zod.optin;
          const optout = el._zod.optout;
          const r = el._zod.run({ value: input[key], issues: [] }, ctx);
          if (r instanceof Promise) {
            proms.push(r.then((r2) => handlePropertyResult(r2, payload, key, input, optin, optout)));
          } else {
            handlePropertyResult(r, payload, key, input, optin, optout);
          }
        }
        if (!catchall) {
          return proms.length ? Promise.all(proms).then(() => payload) : payload;
        }
        return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
      };
    });
    $ZodEnum = /* @__PURE__ */ $constructor("$ZodEnum", (inst, def) => {
      $ZodType.init(inst, def);
      const values = getEnumValues(def.entries);
      const valuesSet = new Set(values);
      inst._zod.values = valuesSet;
      defineLazyInternal(inst, "pattern", (zod) => {
        const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
        return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
      });
      inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (valuesSet.has(input)) {
          return payload;
        }
        payload.issues.push({
          code: "invalid_value",
          values,
          input,
          inst
        });
        return payload;
      };
    });
    $ZodTransform = /* @__PURE__ */ $constructor("$ZodTransform", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.optin = "optional";
      globalConfig.memoizer?.guard(inst);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          throw new $ZodEncodeError(inst.constructor.name);
        }
        const _out = def.transform(payload.value, payload);
        if (ctx.async) {
          const output = _out instanceof Promise ? _out : Promise.resolve(_out);
          return output.then((output2) => {
            payload.value = output2;
            return payload;
          });
        }
        if (_out instanceof Promise) {
          throw new $ZodAsyncError();
        }
        payload.value = _out;
        return payload;
      };
    });
    $ZodOptional = /* @__PURE__ */ $constructor("$ZodOptional", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
      inst._zod.optout = "optional";
      defineLazyInternal(inst, "values", (zod) => {
        const values = zod.def.innerType._zod.values;
        return values ? /* @__PURE__ */ new Set([...values, void 0]) : void 0;
      });
      defineLazyInternal(inst, "pattern", (zod) => {
        const pattern = zod.def.innerType._zod.pattern;
        return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : void 0;
      });
      inst._zod.parse = (payload, ctx) => {
        if (payload.value === void 0) {
          if (def.innerType._zod.optin !== "defaulted")
            return payload;
          const result = def.innerType._zod.run({ value: payload.value, issues: [] }, ctx);
          if (result instanceof Promise)
            return result.then((result2) => handleOptionalResult(payload, result2));
          return handleOptionalResult(payload, result);
        }
        return def.innerType._zod.run(payload, ctx);
      };
    });
    $ZodDefault = /* @__PURE__ */ $constructor("$ZodDefault", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.optin = "defaulted";
      defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          return def.innerType._zod.run(payload, ctx);
        }
        if (payload.value === void 0) {
          payload.value = def.defaultValue;
          return payload;
        }
        const result = def.innerType._zod.run(payload, ctx);
        if (result instanceof Promise) {
          return result.then((result2) => handleDefaultResult(result2, def));
        }
        return handleDefaultResult(result, def);
      };
    });
    $ZodPrefault = /* @__PURE__ */ $constructor("$ZodPrefault", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.optin = "defaulted";
      defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          return def.innerType._zod.run(payload, ctx);
        }
        if (payload.value === void 0) {
          payload.value = def.defaultValue;
        }
        return def.innerType._zod.run(payload, ctx);
      };
    });
    $ZodPipe = /* @__PURE__ */ $constructor("$ZodPipe", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
      defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
      defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
      defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          const right = def.out._zod.run(payload, ctx);
          if (right instanceof Promise) {
            return right.then((right2) => handlePipeResult(right2, def.in, ctx));
          }
          return handlePipeResult(right, def.in, ctx);
        }
        const left = def.in._zod.run(payload, ctx);
        if (left instanceof Promise) {
          return left.then((left2) => handlePipeResult(left2, def.out, ctx));
        }
        return handlePipeResult(left, def.out, ctx);
      };
    });
    $ZodCustom = /* @__PURE__ */ $constructor("$ZodCustom", (inst, def) => {
      $ZodCheck.init(inst, def);
      $ZodType.init(inst, def);
      inst._zod.parse = (payload, _) => {
        return payload;
      };
      inst._zod.check = (payload) => {
        const input = payload.value;
        const r = def.fn(input);
        if (r instanceof Promise) {
          return r.then((r2) => handleRefineResult(r2, payload, input, inst));
        }
        handleRefineResult(r, payload, input, inst);
        return;
      };
    });
  }
});

// node_modules/zod/v4/core/memoizer.js
var init_memoizer = __esm({
  "node_modules/zod/v4/core/memoizer.js"() {
  }
});

// node_modules/zod/v4/locales/index.js
var init_locales = __esm({
  "node_modules/zod/v4/locales/index.js"() {
  }
});

// node_modules/zod/v4/core/registries.js
function registry() {
  return new $ZodRegistry();
}
var _a2, $ZodRegistry, globalRegistry;
var init_registries = __esm({
  "node_modules/zod/v4/core/registries.js"() {
    $ZodRegistry = class {
      constructor() {
        this._map = /* @__PURE__ */ new WeakMap();
        this._idmap = /* @__PURE__ */ new Map();
      }
      add(schema, ..._meta) {
        const meta3 = _meta[0];
        this._map.set(schema, meta3);
        if (meta3 && typeof meta3 === "object" && "id" in meta3) {
          this._idmap.set(meta3.id, schema);
        }
        return this;
      }
      clear() {
        this._map = /* @__PURE__ */ new WeakMap();
        this._idmap = /* @__PURE__ */ new Map();
        return this;
      }
      remove(schema) {
        const meta3 = this._map.get(schema);
        if (meta3 && typeof meta3 === "object" && "id" in meta3) {
          this._idmap.delete(meta3.id);
        }
        this._map.delete(schema);
        return this;
      }
      get(schema) {
        const p = schema._zod.parent;
        if (p) {
          const pm = { ...this.get(p) ?? {} };
          delete pm.id;
          const f = { ...pm, ...this._map.get(schema) };
          return Object.keys(f).length ? f : void 0;
        }
        return this._map.get(schema);
      }
      has(schema) {
        return this._map.has(schema);
      }
    };
    (_a2 = globalThis).__zod_globalRegistry ?? (_a2.__zod_globalRegistry = registry());
    globalRegistry = globalThis.__zod_globalRegistry;
  }
});

// node_modules/zod/v4/core/compile.js
var init_compile = __esm({
  "node_modules/zod/v4/core/compile.js"() {
  }
});

// node_modules/zod/v4/core/api.js
function snapshotChecks(def) {
  if (def.checks)
    def.checks = [...def.checks];
  return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
  return new Class(snapshotChecks({ type: "string", ...normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
  return new Class({
    type: "number",
    check: "number_format",
    abort: false,
    format: "safeint",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _boolean(Class, params) {
  return new Class({
    type: "boolean",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _never(Class, params) {
  return new Class({
    type: "never",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _gt(value, params) {
  return new $ZodCheckGreaterThan({
    check: "greater_than",
    ...normalizeParams(params),
    value,
    inclusive: false
  });
}
// @__NO_SIDE_EFFECTS__
function _gte(value, params) {
  return new $ZodCheckGreaterThan({
    check: "greater_than",
    ...normalizeParams(params),
    value,
    inclusive: true
  });
}
// @__NO_SIDE_EFFECTS__
function _positive(params) {
  return /* @__PURE__ */ _gt(0, params);
}
// @__NO_SIDE_EFFECTS__
function _nonnegative(params) {
  return /* @__PURE__ */ _gte(0, params);
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
  return new $ZodCheckMinLength({
    check: "min_length",
    ...normalizeParams(params),
    minimum
  });
}
// @__NO_SIDE_EFFECTS__
function _custom(Class, fn, _params) {
  const norm = normalizeParams(_params);
  norm.abort ?? (norm.abort = true);
  const schema = new Class({
    type: "custom",
    check: "custom",
    fn,
    ...norm
  });
  return schema;
}
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
  const schema = new Class({
    type: "custom",
    check: "custom",
    fn,
    ...normalizeParams(_params)
  });
  return schema;
}
// @__NO_SIDE_EFFECTS__
function describe(description) {
  const ch = new $ZodCheck({ check: "describe" });
  ch._zod.onattach = [
    (inst) => {
      const existing = globalRegistry.get(inst) ?? {};
      globalRegistry.add(inst, { ...existing, description });
    }
  ];
  ch._zod.check = () => {
  };
  return ch;
}
// @__NO_SIDE_EFFECTS__
function meta(metadata) {
  const ch = new $ZodCheck({ check: "meta" });
  ch._zod.onattach = [
    (inst) => {
      const existing = globalRegistry.get(inst) ?? {};
      globalRegistry.add(inst, { ...existing, ...metadata });
    }
  ];
  ch._zod.check = () => {
  };
  return ch;
}
var init_api = __esm({
  "node_modules/zod/v4/core/api.js"() {
    init_checks2();
    init_registries();
    init_util();
  }
});

// node_modules/zod/v4/core/to-json-schema.js
var init_to_json_schema = __esm({
  "node_modules/zod/v4/core/to-json-schema.js"() {
  }
});

// node_modules/zod/v4/core/json-schema.js
var init_json_schema = __esm({
  "node_modules/zod/v4/core/json-schema.js"() {
  }
});

// node_modules/zod/v4/core/index.js
var init_core2 = __esm({
  "node_modules/zod/v4/core/index.js"() {
    init_core();
    init_parse();
    init_errors();
    init_schemas();
    init_memoizer();
    init_checks2();
    init_versions();
    init_util();
    init_regexes();
    init_locales();
    init_registries();
    init_doc();
    init_compile();
    init_api();
    init_to_json_schema();
    init_json_schema();
  }
});

// node_modules/zod/v4/mini/parse.js
var init_parse2 = __esm({
  "node_modules/zod/v4/mini/parse.js"() {
    init_core2();
  }
});

// node_modules/zod/v4/mini/schemas.js
// @__NO_SIDE_EFFECTS__
function string2(params) {
  return _string(ZodMiniString, params);
}
function int(params) {
  return _int(ZodMiniNumberFormat, params);
}
// @__NO_SIDE_EFFECTS__
function boolean2(params) {
  return _boolean(ZodMiniBoolean, params);
}
// @__NO_SIDE_EFFECTS__
function never(params) {
  return _never(ZodMiniNever, params);
}
// @__NO_SIDE_EFFECTS__
function array(element, params) {
  return new ZodMiniArray({
    type: "array",
    element,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function strictObject(shape, params) {
  return new ZodMiniObject({
    type: "object",
    shape,
    catchall: /* @__PURE__ */ never(),
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _enum(values, params) {
  const entries = Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values;
  return new ZodMiniEnum({
    type: "enum",
    entries,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function transform(fn) {
  return new ZodMiniTransform({
    type: "transform",
    transform: fn
  });
}
// @__NO_SIDE_EFFECTS__
function optional(innerType) {
  return new ZodMiniOptional({
    type: "optional",
    innerType
  });
}
// @__NO_SIDE_EFFECTS__
function _default(innerType, defaultValue) {
  return new ZodMiniDefault({
    type: "default",
    innerType,
    get defaultValue() {
      return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function prefault(innerType, defaultValue) {
  return new ZodMiniPrefault({
    type: "prefault",
    innerType,
    get defaultValue() {
      return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function pipe(in_, out) {
  return new ZodMiniPipe({
    type: "pipe",
    in: in_,
    out
  });
}
// @__NO_SIDE_EFFECTS__
function custom(fn, _params) {
  return _custom(ZodMiniCustom, fn ?? (() => true), _params);
}
// @__NO_SIDE_EFFECTS__
function refine(fn, _params = {}) {
  return _refine(ZodMiniCustom, fn, _params);
}
var ZodMiniType, ZodMiniString, ZodMiniNumber, ZodMiniNumberFormat, ZodMiniBoolean, ZodMiniNever, ZodMiniArray, ZodMiniObject, ZodMiniEnum, ZodMiniTransform, ZodMiniOptional, ZodMiniDefault, ZodMiniPrefault, ZodMiniPipe, ZodMiniCustom, describe2, meta2;
var init_schemas2 = __esm({
  "node_modules/zod/v4/mini/schemas.js"() {
    init_core2();
    init_util();
    init_parse2();
    ZodMiniType = /* @__PURE__ */ $constructor("ZodMiniType", (inst, def) => {
      if (!inst._zod)
        throw new Error("Uninitialized schema in ZodMiniType.");
      $ZodType.init(inst, def);
      inst.def = def;
      inst.type = def.type;
    }, {
      // `with` is an alias for `check`: the same function object, not a wrapper.
      get with() {
        return this.check;
      },
      set with(value) {
        own(this, "with", value);
      },
      parse(data, params) {
        return parse2(this, data, params, { callee: this.parse });
      },
      parseAsync(data, params) {
        return parseAsync(this, data, params, { callee: this.parseAsync });
      },
      safeParse(data, params) {
        return safeParse(this, data, params);
      },
      safeParseAsync(data, params) {
        return safeParseAsync(this, data, params);
      },
      check(...checks) {
        const def = this.def;
        return this.clone({
          ...def,
          checks: [
            ...def.checks ?? [],
            ...checks.map((ch) => typeof ch === "function" ? { _zod: { check: ch, def: { check: "custom" }, onattach: [] } } : ch)
          ]
        }, { parent: true });
      },
      clone(_def, params) {
        return clone(this, _def, params);
      },
      brand() {
        return this;
      },
      register(reg, meta3) {
        reg.add(this, meta3);
        return this;
      },
      apply(fn, ...args) {
        return args.length === 0 ? fn(this) : fn(this, ...args);
      }
    });
    ZodMiniString = /* @__PURE__ */ $constructor("ZodMiniString", (inst, def) => {
      $ZodString.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNumber = /* @__PURE__ */ $constructor("ZodMiniNumber", (inst, def) => {
      $ZodNumber.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNumberFormat = /* @__PURE__ */ $constructor("ZodMiniNumberFormat", (inst, def) => {
      $ZodNumberFormat.init(inst, def);
      ZodMiniNumber.init(inst, def);
    });
    ZodMiniBoolean = /* @__PURE__ */ $constructor("ZodMiniBoolean", (inst, def) => {
      $ZodBoolean.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNever = /* @__PURE__ */ $constructor("ZodMiniNever", (inst, def) => {
      $ZodNever.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniArray = /* @__PURE__ */ $constructor("ZodMiniArray", (inst, def) => {
      $ZodArray.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniObject = /* @__PURE__ */ $constructor("ZodMiniObject", (inst, def) => {
      $ZodObject.init(inst, def);
      ZodMiniType.init(inst, def);
      installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
    });
    ZodMiniEnum = /* @__PURE__ */ $constructor("ZodMiniEnum", (inst, def) => {
      $ZodEnum.init(inst, def);
      ZodMiniType.init(inst, def);
      inst.options = [...inst._zod.values];
    });
    ZodMiniTransform = /* @__PURE__ */ $constructor("ZodMiniTransform", (inst, def) => {
      $ZodTransform.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniOptional = /* @__PURE__ */ $constructor("ZodMiniOptional", (inst, def) => {
      $ZodOptional.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniDefault = /* @__PURE__ */ $constructor("ZodMiniDefault", (inst, def) => {
      $ZodDefault.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniPrefault = /* @__PURE__ */ $constructor("ZodMiniPrefault", (inst, def) => {
      $ZodPrefault.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniPipe = /* @__PURE__ */ $constructor("ZodMiniPipe", (inst, def) => {
      $ZodPipe.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniCustom = /* @__PURE__ */ $constructor("ZodMiniCustom", (inst, def) => {
      $ZodCustom.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    describe2 = describe;
    meta2 = meta;
  }
});

// node_modules/zod/v4/mini/checks.js
var init_checks3 = __esm({
  "node_modules/zod/v4/mini/checks.js"() {
    init_core2();
  }
});

// node_modules/zod/v4/mini/iso.js
var init_iso = __esm({
  "node_modules/zod/v4/mini/iso.js"() {
  }
});

// node_modules/zod/v4/mini/coerce.js
var init_coerce = __esm({
  "node_modules/zod/v4/mini/coerce.js"() {
  }
});

// node_modules/zod/v4/mini/external.js
var init_external = __esm({
  "node_modules/zod/v4/mini/external.js"() {
    init_core2();
    init_parse2();
    init_schemas2();
    init_checks3();
    init_locales();
    init_iso();
    init_coerce();
  }
});

// node_modules/zod/mini/index.js
var init_mini = __esm({
  "node_modules/zod/mini/index.js"() {
    init_external();
  }
});

// src/config/schema.ts
function expected(what) {
  return ({ input }) => `must be ${what}, got ${shown(input)}`;
}
function shown(value) {
  return typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value) ?? "nothing";
}
var positiveInteger, text, filledText, flag, list, duration2, group, FAIL_ACTIONS, failAction, agent, guardrail, scm, display, milliseconds, sandbox, settingsSchema;
var init_schema = __esm({
  "src/config/schema.ts"() {
    "use strict";
    init_mini();
    init_duration();
    positiveInteger = (what) => {
      const error = expected("a positive integer");
      return int({ error }).check(_positive({ error }), describe2(what));
    };
    text = (what) => string2({ error: expected("a string") }).check(describe2(what));
    filledText = (what) => text(what).check(_minLength(1, { error: "must not be empty" }));
    flag = (what) => boolean2({ error: expected("true or false") }).check(describe2(what));
    list = (item, what) => array(item, { error: expected("a list") }).check(describe2(what));
    duration2 = (what) => text(what).check(
      refine((value) => parseDuration(value) !== null, { error: expected('a duration such as "90s" or "10m"') })
    );
    group = (shape) => strictObject(shape, {
      error: (issue2) => issue2.code === "invalid_type" ? expected("an object")(issue2) : void 0
    });
    FAIL_ACTIONS = ["APPEND", "PREPEND", "REPLACE"];
    failAction = pipe(
      custom(
        (value) => typeof value === "string" && FAIL_ACTIONS.some((action) => action === value.toUpperCase()),
        { error: expected("APPEND, PREPEND, or REPLACE") }
      ),
      transform((value) => value.toUpperCase())
    ).check(
      meta2({
        description: "How the failure enters the next prompt: behind it, before it, or instead of it.",
        enum: FAIL_ACTIONS
      })
    );
    agent = group({
      command: filledText("The program to run: claude, or any other command-line agent."),
      flags: _default(list(text("A flag; one with spaces is split as a shell would."), "Flags for the agent."), []),
      timeout: optional(duration2('End an agent that runs longer than this, such as "30m".'))
    });
    guardrail = group({
      command: filledText("A shell command; exit code 0 means that the work is good."),
      failAction,
      hint: optional(text("Guidance for the agent when it fails; never truncated.")),
      timeout: optional(duration2("End it after this long; that counts as a failure."))
    });
    scm = group({
      command: _default(text("The program, such as git."), ""),
      tasks: _default(
        list(filledText("commit, push, or any other subcommand."), "What to run when the guardrails pass."),
        []
      ),
      stage: _default(
        _enum(["tracked", "all"], { error: expected('"tracked" or "all"') }).check(describe2("What a commit holds: changes to tracked files only, or new files too.")),
        "tracked"
      )
    }).check(
      refine(({ command, tasks }) => tasks.length === 0 || command !== "", {
        path: ["command"],
        error: "must be configured when scm.tasks is non-empty"
      })
    );
    display = group({
      emoji: _default(flag("Emoji, or plain text markers."), true),
      color: optional(flag("Colour; by default where the terminal shows it.")),
      timestamps: _default(flag("Begin each line with [HH:MM:SS]."), false),
      maxOutputLines: _default(positiveInteger("How many lines of a tool's output are shown."), 3),
      maxOutputChars: _default(positiveInteger("How many characters of each line of a tool's output are shown."), 120)
    });
    milliseconds = expected("a whole number of milliseconds");
    sandbox = group({
      kind: optional(
        _enum(["none", "os", "docker", "auto"], { error: expected('"none", "os", "docker" or "auto"') }).check(
          describe2("Where the loop runs: freely, in the operating system's sandbox, in Docker's, or in the strongest.")
        )
      ),
      allowHosts: optional(list(filledText("A host, such as *.example.com or localhost:8080."), "Hosts to reach.")),
      allowWrite: optional(list(filledText("A path; from the work tree or ~ where it is not absolute."), "To write.")),
      denyWrite: optional(list(filledText("A path; from the work tree or ~ where it is not absolute."), "Not to write.")),
      denyRead: optional(list(filledText("A path; from the work tree or ~ where it is not absolute."), "To hide.")),
      settleMs: optional(
        int({ error: milliseconds }).check(
          _nonnegative({ error: milliseconds }),
          describe2("How long the files of a run need to come out of Docker, in milliseconds (3000).")
        )
      )
    });
    settingsSchema = group({
      $schema: optional(text("Where editors find this schema.")),
      maximumIterations: _default(positiveInteger("How often the agent is started at most."), 10),
      completionResponse: _default(filledText("What the agent must say in <response> tags to end the loop."), "DONE"),
      outputTruncateChars: _default(positiveInteger("How many characters of a guardrail's output are fed back."), 5e3),
      streamAgentOutput: _default(flag("Show what the agent does while it does it."), true),
      includeIterationCountInPrompt: _default(flag("Begin each prompt with the iteration and how many remain."), false),
      failureBackoffMs: _default(
        int({ error: milliseconds }).check(
          _nonnegative({ error: milliseconds }),
          describe2("The pause after a failed iteration, in milliseconds; it doubles with every further one in a row.")
        ),
        1e3
      ),
      agent,
      guardrails: _default(list(guardrail, "Commands that must pass before the work counts."), []),
      scm: optional(scm),
      sandbox: optional(sandbox),
      display: prefault(display, {})
    });
  }
});

// src/config/shell-words.ts
function shellWords(text2) {
  const [broken] = text2.replaceAll(WORD, "").match(/["'\\]/) ?? [];
  if (broken !== void 0) {
    throw new RalphError("FLAGS", `the flag ${JSON.stringify(text2)} has an unclosed ${broken}`, {
      hint: "Close it, or give each word as an element of its own in agent.flags.",
      exitCode: 2
    });
  }
  return [...text2.matchAll(WORD)].map(
    ([word]) => word.replaceAll(
      PIECE,
      (_all, escaped, double, single) => escaped ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? ""
    )
  );
}
var WORD, PIECE;
var init_shell_words = __esm({
  "src/config/shell-words.ts"() {
    "use strict";
    init_error();
    WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
    PIECE = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;
  }
});

// src/config/settings.ts
function readTexts(cwd) {
  return { base: readText(cwd, SETTINGS_FILE), local: readText(cwd, LOCAL_FILE) };
}
function parseLayers({ base, local }) {
  return { base: parseLayer(base, SETTINGS_FILE), local: parseLayer(local, LOCAL_FILE) };
}
function readLayers(cwd) {
  return parseLayers(readTexts(cwd));
}
function effectiveSettings({ base, local }) {
  const merged = deepMerge(base ?? {}, local ?? {});
  const parsed2 = settingsSchema.safeParse(merged);
  if (!parsed2.success) {
    const faults = parsed2.error.issues.map((issue2) => describe3(issue2, merged));
    const isOfLocal = base !== null && local !== null && settingsSchema.safeParse(base).success;
    if (base !== null) throw invalid(faults, isOfLocal ? LOCAL_FILE : SETTINGS_FILE);
    throw faults.includes(NO_AGENT) ? notYet(faults) : invalid(faults, LOCAL_FILE);
  }
  const { agent: agent2 } = parsed2.data;
  return { ...parsed2.data, agent: { ...agent2, flags: agent2.flags.flatMap(shellWords) } };
}
function readText(cwd, file) {
  const path = (0, import_node_path51.join)(cwd, file);
  try {
    return (0, import_node_fs48.statSync)(path, { throwIfNoEntry: false }) === void 0 ? null : readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw invalid([`cannot read ${file}: ${reasonOf(error)}`], file);
  }
}
function parseLayer(text2, file) {
  if (text2 === null) return null;
  try {
    const value = JSON.parse(text2.replace(/^\uFEFF/, ""));
    if (isPlain(value)) return value;
  } catch (error) {
    throw invalid([`${file} is not valid JSON: ${reasonOf(error)}`], file);
  }
  throw invalid([`${file} must hold an object`], file);
}
function describe3(issue2, input) {
  if (issue2.code === "unrecognized_keys") return issue2.keys.map((key) => unknownKey(issue2.path, key)).join("; ");
  const path = pathText(issue2.path);
  if (path === "agent" || path === "agent.command") {
    if (isMissing(input, issue2.path)) return NO_AGENT;
  }
  return issue2.message.startsWith("must ") ? `${path} ${issue2.message}` : `${path}: ${issue2.message}`;
}
function unknownKey(path, key) {
  const meant = nearest(key, knownKeys(path));
  return `unknown key ${pathText([...path, key])}${meant === null ? "" : ` (did you mean "${meant}"?)`}`;
}
function knownKeys(path) {
  const all = settingsSchema.shape;
  const [first] = path;
  const inner = typeof first === "string" ? all[first] : void 0;
  return inner === void 0 ? Object.keys(all) : keysWithin(inner);
}
function keysWithin(schema) {
  if (!isPlain(schema)) return [];
  if (isPlain(schema.shape)) return Object.keys(schema.shape);
  const def = isPlain(schema.def) ? schema.def : {};
  return keysWithin(def.innerType ?? def.element);
}
function isMissing(input, path) {
  const value = path.reduce((at, key) => isPlain(at) ? at[String(key)] : void 0, input);
  return value === void 0 || value === "";
}
function pathText(path) {
  return path.reduce((text2, key) => {
    if (typeof key === "number") return `${text2}[${key}]`;
    return text2 === "" ? String(key) : `${text2}.${String(key)}`;
  }, "");
}
function invalid(faults, file = SETTINGS_FILE) {
  const anew = file === SETTINGS_FILE ? ", or run `ralph init` to create a new one" : "";
  return refused(faults, `Fix ${file}${anew}.`);
}
function notYet(faults) {
  return refused(faults, `There is no ${SETTINGS_FILE} yet. To create one, run: ralph init`);
}
function refused(faults, hint) {
  return new RalphError("SETTINGS", faults.join("\n"), { hint, exitCode: 2 });
}
var import_node_fs48, import_node_path51, SETTINGS_FILE, LOCAL_FILE, NO_AGENT;
var init_settings = __esm({
  "src/config/settings.ts"() {
    "use strict";
    import_node_fs48 = require("node:fs");
    import_node_path51 = require("node:path");
    init_error();
    init_system_fault();
    init_plain_file();
    init_merge();
    init_nearest();
    init_schema();
    init_shell_words();
    SETTINGS_FILE = ".ralph/settings.json";
    LOCAL_FILE = ".ralph/settings.local.json";
    NO_AGENT = "agent.command must be configured in settings file";
  }
});

// src/config/sandbox-settings.ts
function sandboxSettings(cwd) {
  const { base, local } = readLayers(cwd);
  return effectiveSettings({ base: deepMerge({ agent: { command: "agent" } }, base ?? {}), local }).sandbox;
}
var init_sandbox_settings = __esm({
  "src/config/sandbox-settings.ts"() {
    "use strict";
    init_merge();
    init_settings();
  }
});

// src/process/watch-pool.ts
function openEyes() {
  const buffer = followBuffer();
  const open = /* @__PURE__ */ new Map();
  const closeUnused = () => {
    for (const [folder, { following, users }] of open) {
      if (users > 0 || open.size === 1) continue;
      following.watch.close();
      open.delete(folder);
    }
  };
  return {
    on(folder) {
      const entry = open.get(folder) ?? { following: openFollowing(folder, buffer), users: 0 };
      open.set(folder, entry);
      entry.users++;
      return {
        following: entry.following,
        done() {
          entry.users--;
          closeUnused();
        }
      };
    },
    close() {
      for (const { following } of open.values()) following.watch.close();
      open.clear();
    }
  };
}
var init_watch_pool = __esm({
  "src/process/watch-pool.ts"() {
    "use strict";
    init_follow();
  }
});

// src/runners/direct.ts
function directRunner({ host, grace, tethered = false }) {
  const children = /* @__PURE__ */ new Map();
  const eyes = openEyes();
  return {
    name: "direct",
    async start(run) {
      const { folder, mark: mark2, argv, cwd, env, stdin } = run;
      const output = transcriptOf(run);
      const files = {
        stdout: (0, import_node_path52.join)(output.folder, output.stdout),
        stderr: (0, import_node_path52.join)(output.folder, output.stderr),
        ...stdin === void 0 ? {} : { stdin }
      };
      const spec = { argv, cwd, env, folder, mark: mark2, containment: host.containment, grace, tethered, ...files };
      const launched = await launch(spec, host.place);
      children.set(mark2, launched);
      return { pid: launched.pid };
    },
    async await(run, watch3) {
      const { folder, mark: mark2 } = run;
      const child = children.get(mark2);
      const output = transcriptOf(run);
      const { following, done } = eyes.on(output.folder);
      if (child === void 0) {
        const orphan = readTrace(folder, mark2);
        const wasRunning = orphan !== null && !isGone(orphan);
        if (orphan !== null) await endRun(orphan, grace);
        await readWhole(output, watch3, following);
        done();
        return wasRunning ? { by: "unseen", wasRunning } : { by: "unseen" };
      }
      const { trace, exited } = child;
      const follower = follow(output.folder, filesOf(output, watch3), following, watch3.ready);
      try {
        const exit = await endOnAbort(trace, { signal: watch3.signal, grace }, () => exited);
        await sweep(trace, grace);
        await follower.drain();
        return exit;
      } finally {
        follower.close();
        done();
        children.delete(mark2);
      }
    },
    async close() {
      eyes.close();
      await Promise.all([...children.values()].map(({ trace }) => endRun(trace, grace)));
    }
  };
}
async function readWhole(output, watch3, following) {
  const follower = follow(output.folder, filesOf(output, watch3), following, watch3.ready);
  await follower.drain();
  follower.close();
}
function filesOf({ folder, stdout, stderr }, watch3) {
  const files = [
    { name: stdout, onChunk: (chunk) => watch3.onOutput(chunk) },
    { name: stderr, onChunk: (chunk) => watch3.onStderr(chunk) }
  ];
  return files.filter(({ name }) => (0, import_node_fs49.existsSync)((0, import_node_path52.join)(folder, name)));
}
var import_node_fs49, import_node_path52;
var init_direct = __esm({
  "src/runners/direct.ts"() {
    "use strict";
    import_node_fs49 = require("node:fs");
    import_node_path52 = require("node:path");
    init_end();
    init_end_on_abort();
    init_follow();
    init_launch();
    init_trace();
    init_watch_pool();
    init_runner();
  }
});

// src/runners/sandbox/request.ts
function sandboxFromFlags(flags) {
  const { sandbox: sandbox2, allowHost = [], allowWrite = [], denyWrite = [], denyRead = [] } = flags;
  const lists = { allowHosts: allowHost, allowWrite, denyWrite, denyRead };
  if (sandbox2 === void 0 && Object.values(lists).every((list2) => list2.length === 0)) return null;
  return { kind: kindOf(sandbox2), ...lists, settleMs: null };
}
function settledSandbox(given, settings2, otherwise = "none") {
  const kind = given?.kind ?? settings2?.kind ?? otherwise;
  if (kind === "none") {
    refuseIdle(given, "Add --sandbox=os (or --sandbox, which is Docker).");
    if (given?.kind !== "none" && settings2?.kind === void 0) refuseIdleSettings(settings2);
    return NO_SANDBOX;
  }
  return {
    kind,
    allowHosts: [...settings2?.allowHosts ?? [], ...given?.allowHosts ?? []].map(checkedHost),
    allowWrite: [...settings2?.allowWrite ?? [], ...given?.allowWrite ?? []],
    denyWrite: [...settings2?.denyWrite ?? [], ...given?.denyWrite ?? []],
    denyRead: [...settings2?.denyRead ?? [], ...given?.denyRead ?? []],
    settleMs: settings2?.settleMs ?? null
  };
}
function refuseIdleSettings({ denyWrite = [], denyRead = [] } = {}) {
  const [idle] = [...denyWrite, ...denyRead];
  if (idle === void 0) return;
  throw new RalphError("NO_SANDBOX", `the settings keep "${idle}" from the agent by a sandbox, and there is none`, {
    hint: "Set sandbox.kind as well, or add --sandbox=os; without: --no-sandbox",
    exitCode: 2
  });
}
function refuseIdle(given, hint) {
  const { allowHosts, allowWrite, denyWrite, denyRead } = given ?? NO_SANDBOX;
  const [idle] = [...allowHosts, ...allowWrite, ...denyWrite, ...denyRead];
  if (idle === void 0) return;
  throw new RalphError("NO_SANDBOX", `"${idle}" was given for a sandbox, and there is none`, { hint, exitCode: 2 });
}
function kindOf(sandbox2) {
  if (sandbox2 === void 0) return null;
  if (typeof sandbox2 === "string") return sandbox2;
  return sandbox2 ? "docker" : "none";
}
var NO_SANDBOX;
var init_request3 = __esm({
  "src/runners/sandbox/request.ts"() {
    "use strict";
    init_error();
    init_hosts();
    NO_SANDBOX = {
      kind: "none",
      allowHosts: [],
      allowWrite: [],
      denyWrite: [],
      denyRead: [],
      settleMs: null
    };
  }
});

// src/process/containment/exit-wrapper.ts
function withExitFile(argv, file) {
  return ["sh", "-c", SCRIPT, file, ...argv];
}
function readExitFile(file) {
  let text2;
  try {
    text2 = readPlainText(file);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
  return /^\d+\n$/.test(text2) ? { by: "code", code: Number(text2) } : { by: "unseen" };
}
var SCRIPT;
var init_exit_wrapper = __esm({
  "src/process/containment/exit-wrapper.ts"() {
    "use strict";
    init_error();
    init_files();
    SCRIPT = 'trap : INT QUIT; "$@"; echo $? >"$0.next" && mv "$0.next" "$0"';
  }
});

// src/runners/tmux.ts
function tmuxRunner({ host, grace }) {
  const eyes = openEyes();
  return {
    name: "tmux",
    missing(cwd) {
      if (findProgram("tmux", host.env.PATH, cwd) !== null) return null;
      return { reason: "tmux is not installed", hint: "Install it, or start a new loop without --runner tmux." };
    },
    async start(run) {
      const { folder, mark: mark2, argv, cwd, env, stdin } = run;
      const program2 = stdin === void 0 ? argv : ["sh", "-c", 'exec "$@" <"$0"', (0, import_node_path53.join)(folder, stdin), ...argv];
      const { exited } = await launch(
        {
          argv: tmuxCommand(run, cwd, program2),
          cwd,
          // A pane is no part of the terminal that ralph was started in.
          env: { ...env, TMUX: void 0, TMUX_PANE: void 0 },
          folder,
          mark: mark2,
          stdout: stderrName(run),
          stderr: stderrName(run),
          // A pid namespace would end the server together with the command that starts it.
          containment: host.containment.level === "cgroup" ? host.containment : { level: "group" }
        },
        host.place
      );
      const exit = await exited;
      if (exit.by === "code" && exit.code === 0) return { pid: null };
      throw new LaunchError("tmux", new Error((0, import_node_fs50.readFileSync)((0, import_node_path53.join)(folder, stderrName(run)), "utf8")));
    },
    async await(run, watch3) {
      const { folder, mark: mark2 } = run;
      const trace = readTrace(folder, mark2);
      if (trace === null) return { by: "unseen" };
      const { following, done } = eyes.on(folder);
      const follower = follow(
        folder,
        [{ name: outputName(run), onChunk: (chunk) => watch3.onOutput(chunk) }],
        following,
        watch3.ready
      );
      try {
        const limits = { signal: watch3.signal, grace };
        const exit = await endOnAbort(trace, limits, () => exitOf2(run, trace, following));
        await lastWords(run);
        await endRun(trace, grace);
        await follower.drain();
        return exit;
      } finally {
        follower.close();
        done();
      }
    },
    async close() {
      eyes.close();
    }
  };
}
function socketName(mark2) {
  return `ralph-${digestOf(mark2)}`;
}
function exitName({ name }) {
  return `${name}.exit`;
}
function pipedFile({ folder, name }) {
  return (0, import_node_path53.join)(folder, `${name}.piped`);
}
function tmuxCommand(run, cwd, argv) {
  const tmux = ["tmux", "-L", socketName(run.mark), "-f", "/dev/null"];
  const waiting2 = ["sh", "-c", 'tmux wait-for piped; exec "$@"', "ralph-pane"];
  const pane = [...waiting2, ...withExitFile(argv, (0, import_node_path53.join)(run.folder, exitName(run)))].map(literal);
  const pipe2 = `cat >>${shellQuote((0, import_node_path53.join)(run.folder, outputName(run)))}; : >${shellQuote(pipedFile(run))}`;
  const newSession = ["new-session", "-d", "-x", "200", "-y", "50", "-c", cwd, ...pane];
  return [...tmux, ...newSession, ";", "pipe-pane", pipe2, ";", "wait-for", "-S", "piped"];
}
function literal(argument) {
  return argument.endsWith(";") ? `${argument.slice(0, -1)}\\;` : argument;
}
function exitOf2(run, trace, { watch: watch3 }) {
  return new Promise((resolve21) => {
    const look2 = () => {
      const ended = isGone(trace);
      const exit = readExitFile((0, import_node_path53.join)(run.folder, exitName(run)));
      if (exit === null && !ended) return;
      stop();
      clearInterval(timer);
      resolve21(exit ?? { by: "unseen" });
    };
    const stop = watch3.on(exitName(run), look2);
    const timer = setInterval(look2, LOOK_EVERY3);
    look2();
  });
}
async function lastWords(run) {
  const deadline = performance.now() + LAST_WORDS_TAKE_AT_MOST;
  while (!(0, import_node_fs50.existsSync)(pipedFile(run)) && performance.now() < deadline) await (0, import_promises5.setTimeout)(LOOK_AGAIN);
}
var import_node_fs50, import_node_path53, import_promises5, LOOK_EVERY3, LOOK_AGAIN, LAST_WORDS_TAKE_AT_MOST;
var init_tmux = __esm({
  "src/runners/tmux.ts"() {
    "use strict";
    import_node_fs50 = require("node:fs");
    import_node_path53 = require("node:path");
    import_promises5 = require("node:timers/promises");
    init_digest();
    init_quote_word();
    init_exit_wrapper();
    init_end();
    init_end_on_abort();
    init_follow();
    init_launch();
    init_trace();
    init_watch_pool();
    init_which();
    init_runner();
    LOOK_EVERY3 = 200;
    LOOK_AGAIN = 5;
    LAST_WORDS_TAKE_AT_MOST = 2e3;
  }
});

// src/runners/docker/command.ts
function dockerSandboxCommand(program2, env) {
  return (args, stdin) => new Promise((resolve21) => {
    const child = (0, import_node_child_process9.spawn)(program2, ["sandbox", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) {
      child[stream].setEncoding("utf8").on("data", (text2) => {
        said[stream] += text2;
      });
    }
    child.stdin.on("error", () => {
    });
    child.stdin.end(stdin ?? "");
    child.once("error", (error) => resolve21({ ok: false, stdout: "", stderr: error.message }));
    child.once("close", (code) => resolve21({ ok: code === 0, ...said }));
  });
}
function reasonOf3({ stderr, stdout }) {
  const [line = ""] = `${stderr}
${stdout}`.trim().split("\n");
  return line === "" ? "it said nothing" : line;
}
var import_node_child_process9;
var init_command3 = __esm({
  "src/runners/docker/command.ts"() {
    "use strict";
    import_node_child_process9 = require("node:child_process");
  }
});

// src/runners/docker/folder-copy.ts
async function copyFolderIn(docker, name, from, to) {
  const files = filesOf2(from);
  const wanted = listOf(files);
  const look2 = async () => (await docker(["exec", name, "bash", "-c", LIST, "list", to])).stdout;
  if (await look2() === wanted) return;
  const copied = await docker(["exec", "-i", name, "bash", "-s", "--", to], unpackScript(files));
  if (!copied.ok) throw notCopied(from, reasonOf3(copied));
  if (await look2() !== wanted) throw notCopied(from, "what arrived is not what was sent");
}
function notCopied(from, reason) {
  return new RalphError("DOCKER", `${from} cannot be copied into the sandbox: ${reason}`, {
    hint: "Look at Docker Desktop; --sandbox=os is the operating system's own sandbox.",
    exitCode: 2
  });
}
function filesOf2(folder) {
  const entries = (0, import_node_fs51.readdirSync)(folder, { recursive: true, encoding: "utf8" });
  return entries.map((path) => ({ path, stat: (0, import_node_fs51.statSync)((0, import_node_path54.join)(folder, path)) })).filter(({ stat }) => stat.isFile()).map(({ path, stat }) => ({
    path,
    content: (0, import_node_fs51.readFileSync)((0, import_node_path54.join)(folder, path)),
    isProgram: (stat.mode & 64) !== 0
  })).sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}
function listOf(files) {
  const sums = files.map(({ path, content }) => `${(0, import_node_crypto8.createHash)("sha256").update(content).digest("hex")}  ./${path}
`);
  const programs = files.filter(({ isProgram }) => isProgram).map(({ path }) => `./${path}
`);
  return [...sums, ...programs].join("");
}
function unpackScript(files) {
  return ["set -e", 'rm -rf -- "$1"', 'mkdir -p -- "$1"', 'cd -- "$1"', ...files.flatMap(unpacked), ""].join("\n");
}
function unpacked({ path, content, isProgram }) {
  const file = shellQuote(`./${path}`);
  const lines = content.toString("base64").match(/.{1,76}/g) ?? [];
  return [
    `mkdir -p -- ${shellQuote(`./${(0, import_node_path54.dirname)(path)}`)}`,
    `base64 -d >${file} <<'RALPH-FILE'`,
    ...lines,
    "RALPH-FILE",
    `chmod ${isProgram ? "755" : "644"} ${file}`
  ];
}
var import_node_crypto8, import_node_fs51, import_node_path54, LIST;
var init_folder_copy = __esm({
  "src/runners/docker/folder-copy.ts"() {
    "use strict";
    import_node_crypto8 = require("node:crypto");
    import_node_fs51 = require("node:fs");
    import_node_path54 = require("node:path");
    init_error();
    init_quote_word();
    init_command3();
    LIST = `
  cd -- "$1" || exit
  export LC_ALL=C
  find . ! -type d ! -type f -print
  find . -type f -print0 | sort -z | xargs -0 sha256sum
  find . -type f -perm -u+x -print | sort`;
  }
});

// src/runners/docker/prepare.ts
function sandboxName(workspace) {
  return `ralph-${workspace.replaceAll(/[^A-Za-z0-9._-]/g, "_")}`;
}
function authFolder(home) {
  return (0, import_node_path55.join)(home, ".dclaude_state");
}
async function prepareSandbox(docker, place) {
  const { name, workspace, shared, home, hosts, template, tell: tell2 } = place;
  const auth = makeAuthFolder(home, template);
  const isNew = !(await sandboxNames(docker)).includes(name);
  tell2?.(`${isNew ? "Creating sandbox" : "Reusing existing sandbox"}: ${name}`);
  if (isNew) {
    must("create", await docker(["create", "--name", name, template.name, workspace, auth, ...shared]));
    await setUp(docker, name, auth, template);
  }
  const allowed = hosts.flatMap((host) => ["--allow-host", host]);
  must("network", await docker(["network", "proxy", name, "--policy", "deny", ...allowed]));
  if (!isNew) await resync(docker, name);
}
async function resync(docker, name) {
  must("stop", await docker(["stop", name]));
}
async function sandboxNames(docker) {
  const { stdout } = must("ls", await docker(["ls"]));
  return stdout.split("\n").map((line) => line.trim().split(/\s+/)[0] ?? "");
}
function must(what, answer) {
  if (answer.ok) return answer;
  throw new RalphError("DOCKER", `"docker sandbox ${what}" failed: ${reasonOf3(answer)}`, {
    hint: "Look at Docker Desktop; --sandbox=os is the operating system's own sandbox.",
    exitCode: 2
  });
}
async function setUp(docker, name, auth, { login }) {
  try {
    must(
      "exec",
      await docker(["exec", "-u", "root", name, "bash", "-c", LINK_LOGIN, "setup", login.folder, login.file, auth])
    );
    must("exec", await docker(["exec", name, "bash", "-c", NAME_COMMITTER]));
  } catch (error) {
    await docker(["rm", name]);
    throw error;
  }
}
function makeAuthFolder(home, { login }) {
  const folder = authFolder(home);
  makeFolders((0, import_node_path55.join)(folder, login.folder), 448);
  const file = (0, import_node_path55.join)(folder, login.file);
  const isEmpty = !(0, import_node_fs52.existsSync)(file) || (0, import_node_fs52.readFileSync)(file, "utf8").trim() === "";
  if (isEmpty) writeFile(file, "{}\n", { mode: 384 });
  return folder;
}
var import_node_fs52, import_node_path55, AGENT_HOME, LINK_LOGIN, NAME_COMMITTER;
var init_prepare = __esm({
  "src/runners/docker/prepare.ts"() {
    "use strict";
    import_node_fs52 = require("node:fs");
    import_node_path55 = require("node:path");
    init_error();
    init_files();
    init_command3();
    AGENT_HOME = "/home/agent";
    LINK_LOGIN = `
  for name in "$1" "$2"; do
    rm -rf "${AGENT_HOME}/$name"
    ln -s "$3/$name" "${AGENT_HOME}/$name"
    chown -h agent:agent "${AGENT_HOME}/$name" 2>/dev/null || true
  done`;
    NAME_COMMITTER = `
  git config --global user.email ralph@localhost
  git config --global user.name "Ralph Loop"`;
  }
});

// src/runners/docker-sandbox.ts
var docker_sandbox_exports = {};
__export(docker_sandbox_exports, {
  describeDocker: () => describeDocker,
  dockerPolicy: () => dockerPolicy,
  dockerPolicyFrom: () => dockerPolicyFrom,
  dockerRun: () => dockerRun,
  dockerSandboxSupport: () => dockerSandboxSupport,
  insidePath: () => insidePath,
  noDockerSandbox: () => noDockerSandbox,
  openDockerSandbox: () => openDockerSandbox,
  whatDockerCannot: () => whatDockerCannot
});
function dockerSandboxSupport(env, cwd) {
  const program2 = findProgram("docker", pathOutsideOf(cwd, env), "/");
  if (program2 === null) return { works: false, reason: "docker is not on the PATH" };
  const { status, stderr } = (0, import_node_child_process10.spawnSync)(program2, ["sandbox", "ls"], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"]
  });
  if (status === 0) return { works: true };
  const said = stderr.trim().split("\n")[0] ?? "";
  return { works: false, reason: `"docker sandbox ls" failed${said === "" ? "" : ` (${said})`}` };
}
function noDockerSandbox(reason) {
  return new RalphError("NO_SANDBOX", `Docker Sandbox cannot be used: ${reason}`, {
    hint: "It needs Docker Desktop 4.58 or newer with Sandboxes enabled; --sandbox=os is the operating system's own.",
    exitCode: 2
  });
}
function dockerPolicy(options) {
  return dockerPolicyFrom(policyFacts(options), options);
}
function dockerPolicyFrom(facts, { wish, loopPaths }) {
  const { workspace, home, git: git2, exists } = facts;
  const template = templateOf(facts.access);
  const outside = (loopPaths?.shared ?? []).filter((path) => !isUnder(path, workspace));
  const name = outside.length === 0 ? sandboxName(workspace) : `${sandboxName(workspace)}-${digestOf(outside.join())}`;
  const hosts = [
    ...template.hosts,
    ...ecosystemHosts((file) => exists(`${workspace}/${file}`)),
    ...wish.allowHosts.map(checkedHost)
  ];
  const shared = [...git2 === null || git2.gitFolder === git2.entry ? [] : [git2.commonFolder], ...outside];
  return { name, workspace, shared, home, hosts, template };
}
function describeDocker({ name, workspace, shared, home, hosts }) {
  return [
    `  machine: ${name}`,
    "  is shared, to be read and written:",
    ...[workspace, ...shared, authFolder(home)].map((path) => `    ${path}`),
    "  may be reached:",
    ...hosts.map((host) => `    ${host}`)
  ];
}
function insidePath(called) {
  return `${AGENT_HOME}/.ralph/${called}`;
}
function dockerRun(name, argv, { flagInside }, program2 = "docker") {
  return [program2, "sandbox", "run", name, "--", ...argv.slice(1).filter((word) => word !== flagInside)];
}
async function openDockerSandbox(options) {
  const { env, settle = SETTLE, tell: tell2 } = options;
  const policy = dockerPolicy(options);
  const { name, workspace, shared, hosts } = policy;
  const program2 = findProgram("docker", pathOutsideOf(workspace, env), "/") ?? "docker";
  const docker = dockerSandboxCommand(program2, env);
  await prepareSandbox(docker, { ...policy, tell: tell2 });
  const stop = () => resync(docker, name);
  const exec = async (script, args) => must("exec", await docker(["exec", name, "bash", "-c", script, "ralph", ...args])).stdout;
  const agentCommand = (argv) => dockerRun(name, argv, policy.template, program2);
  const settled2 = async (cutOff2) => {
    if (cutOff2) await stop();
    await (0, import_promises6.setTimeout)(settle);
  };
  return {
    name,
    hosts,
    env: {},
    enclose: (argv) => [program2, "sandbox", "exec", "-w", workspace, name, ...argv],
    outsideProblem: repositoryWatch({ ...options, env: { ...env, PATH: pathOutsideOf(workspace, env) }, workspace }),
    mayWrite: (path) => [workspace, ...shared].some((folder) => isUnder(path, folder)),
    sweep: stop,
    agentCommand,
    settled: settled2,
    resync: stop,
    settle: () => (0, import_promises6.setTimeout)(settle),
    async write(path, content) {
      if (content === null) await exec('rm -rf -- "$1"', [path]);
      else must("exec", await docker(["exec", "-i", name, "bash", "-c", WRITE, "write", path], content));
    },
    async digests(paths) {
      const lines = (await exec(DIGEST, paths)).trimEnd().split("\n");
      return paths.map((_path, index) => /^[0-9a-f]{64}(?= {2}-$)/.exec(lines[index] ?? "")?.[0] ?? null);
    },
    async load(folder, called) {
      const to = insidePath(called);
      await copyFolderIn(docker, name, folder, to);
      return to;
    },
    runner: (inner) => ({
      ...inner,
      start: (run) => inner.start({ ...run, argv: agentCommand(run.argv) }),
      async await(run, watch3) {
        const exit = await inner.await(run, watch3);
        await settled2(watch3.signal.aborted || exit.by === "unseen");
        return exit;
      }
    })
  };
}
function whatDockerCannot({ agents }, { allowWrite, denyWrite, denyRead }) {
  const refused2 = (what, hint) => new RalphError("DOCKER", what, { hint, exitCode: 2 });
  const other = agents.find(({ docker }) => docker === void 0);
  if (other !== void 0) {
    return refused2(
      `Docker Sandbox runs Claude Code, not ${other.command}`,
      "--sandbox=os is the operating system's own."
    );
  }
  const [path] = [...allowWrite, ...denyWrite, ...denyRead];
  if (path === void 0) return null;
  return refused2(
    `"${path}" cannot be given to a Docker Sandbox, which shares the work tree and nothing else`,
    "Leave out --allow-write, --deny-write and --deny-read, or use --sandbox=os."
  );
}
function templateOf({ agents }) {
  const template = agents.find(({ docker }) => docker !== void 0)?.docker;
  if (template === void 0) throw new Error("a Docker Sandbox is opened only for an agent that has a template");
  return template;
}
var import_node_child_process10, import_promises6, SETTLE, WRITE, DIGEST;
var init_docker_sandbox = __esm({
  "src/runners/docker-sandbox.ts"() {
    "use strict";
    import_node_child_process10 = require("node:child_process");
    import_promises6 = require("node:timers/promises");
    init_error();
    init_digest();
    init_which();
    init_command3();
    init_folder_copy();
    init_prepare();
    init_facts();
    init_hosts();
    init_own_path();
    init_policy();
    init_repository_watch();
    SETTLE = 3e3;
    WRITE = `
  next=$(mktemp) && cat >"$next" && chmod 644 "$next" && mkdir -p -- "$(dirname -- "$1")" || exit
  if [ -L "$1" ] || [ ! -f "$1" ]; then rm -rf -- "$1"; fi
  mv -f -- "$next" "$1"`;
    DIGEST = `
  for path; do
    if [ -f "$path" ] && [ ! -L "$path" ]; then sha256sum <"$path"; else echo none; fi
  done`;
  }
});

// src/runners/enclosed.ts
var enclosed_exports = {};
__export(enclosed_exports, {
  enclosedRunner: () => enclosedRunner
});
function enclosedRunner(inner, enclosure) {
  const eyes = openEyes();
  return {
    ...inner,
    start(run) {
      const { folder, argv, env, writes = [] } = run;
      const refusals = (0, import_node_path56.join)(folder, refusalsName(run));
      for (const file of [refusals, ...writes]) writeFile(file, "", { flag: "a", mode: 384 });
      const enclosed = enclosure.enclose(argv, { refusals, writes });
      return inner.start({ ...run, argv: enclosed, env: { ...env, ...enclosure.env } });
    },
    async await(run, watch3) {
      const heard = followRefusals(run, watch3, eyes.on(run.folder));
      try {
        return await inner.await(run, watch3);
      } finally {
        for (const refusal of enclosure.putAside()) keepRefusal((0, import_node_path56.join)(run.folder, refusalsName(run)), refusal);
        await heard();
      }
    },
    async close() {
      eyes.close();
      await inner.close();
    }
  };
}
function followRefusals(run, { onRefusal }, { following, done }) {
  const onLine = (line) => {
    for (const refusal of parseRefusal(line.toString("utf8"))) onRefusal?.(describeRefusal(refusal));
  };
  const lines = lineSplitter({ onLine });
  const name = refusalsName(run);
  writeFile((0, import_node_path56.join)(run.folder, name), "", { flag: "a", mode: 384 });
  const follower = follow(run.folder, [{ name, onChunk: (chunk) => lines.push(chunk) }], following, alwaysReady);
  return async () => {
    await follower.drain();
    lines.end();
    follower.close();
    done();
  };
}
function refusalsName({ name }) {
  return `${name}.refused`;
}
var import_node_path56;
var init_enclosed = __esm({
  "src/runners/enclosed.ts"() {
    "use strict";
    import_node_path56 = require("node:path");
    init_files();
    init_follow();
    init_watch_pool();
    init_lines();
    init_refusals();
  }
});

// src/runners/choose.ts
async function resolveSandbox(given, settings2, asked2) {
  const { otherwise, needs = [] } = asked2;
  const said = settledSandbox(given, settings2, otherwise);
  const request = said.kind === "none" ? said : { ...said, allowWrite: [...said.allowWrite, ...needs] };
  const kind = request.kind ?? "none";
  const wanted = { ...asked2, wish: request };
  if (kind !== "auto") {
    await requireKind(kind, wanted);
    return { request: { ...request, kind }, passedOver: { docker: null, os: null } };
  }
  const found = await strongest(wanted);
  if (found.kind === "none") refuseIdle(given, `Docker: ${found.docker}; operating system's: ${found.os}.`);
  const { docker, os } = found;
  const settled2 = found.kind === "none" ? NO_SANDBOX : request;
  return { request: { ...settled2, kind: found.kind }, passedOver: { docker, os } };
}
function isolate(request, options) {
  const { kind, settleMs, ...wish } = request ?? NO_SANDBOX;
  const settle = settleMs === null ? {} : { settle: settleMs };
  if (kind === "auto")
    throw new Error("the strongest sandbox is looked for before a loop begins, not when it is opened");
  if (kind === "os" && options.self === null) throw needsCommand();
  return chooseRunner({ ...options, self: options.self ?? ["ralph"], sandbox: kind ?? "none", wish, ...settle });
}
async function requireKind(sandbox2, asked2) {
  const problem = sandbox2 === "docker" ? await whyNoDocker(asked2) : sandbox2 === "os" ? await whyNoOs(asked2) : null;
  if (problem !== null) throw problem;
}
async function whyNoDocker({ env, wish, access, cwd }) {
  const { dockerSandboxSupport: dockerSandboxSupport2, noDockerSandbox: noDockerSandbox2, whatDockerCannot: whatDockerCannot2 } = await Promise.resolve().then(() => (init_docker_sandbox(), docker_sandbox_exports));
  const support = dockerSandboxSupport2(env, cwd);
  return support.works ? whatDockerCannot2(access, wish) : noDockerSandbox2(support.reason);
}
async function whyNoOs({ env, self, cwd }) {
  if (self === null) return needsCommand();
  const { noOsSandbox: noOsSandbox2, osSandboxSupport: osSandboxSupport2 } = await Promise.resolve().then(() => (init_os_sandbox(), os_sandbox_exports));
  const support = osSandboxSupport2(env, cwd);
  return support.works ? null : noOsSandbox2(support);
}
function needsCommand() {
  return new RalphError("NO_SANDBOX", "the operating system's sandbox needs the ralph command", {
    hint: "Install it: npm install -g ralph-harness; or run without: --no-sandbox",
    exitCode: 2
  });
}
async function strongest(asked2) {
  const docker = asked2.notDocker ?? (await whyNoDocker(asked2))?.message ?? null;
  if (docker === null) return { kind: "docker", docker, os: null };
  const os = (await whyNoOs(asked2))?.message ?? null;
  return { kind: os === null ? "os" : "none", docker, os };
}
async function chooseRunner(options) {
  const { sandbox: sandbox2 } = options;
  if (sandbox2 === "none") return direct(options);
  const asked2 = { ...options, env: options.host.env };
  await requireKind(sandbox2, asked2);
  return sandbox2 === "docker" ? inDocker(options) : inOs(options);
}
function direct(options) {
  const says = "Isolation: none, the agent can do whatever you can";
  return { host: options.host, runner: freeRunner(options), pane: null, says };
}
async function inOs(options) {
  const { openOsSandbox: openOsSandbox2 } = await Promise.resolve().then(() => (init_os_sandbox(), os_sandbox_exports));
  const { enclosedRunner: enclosedRunner2 } = await Promise.resolve().then(() => (init_enclosed(), enclosed_exports));
  const box = openOsSandbox2({ ...placeOf2(options), self: options.self, grace: options.grace });
  const inner = enclosedRunner2(freeRunner(options), box);
  const close = async () => {
    await inner.close();
    box.close();
  };
  const { writable, hosts } = box.policy;
  const bounds = `${count(writable.length, "writable path")}, ${count(hosts.length, "host")}`;
  const says = `Isolation: operating system's sandbox (${bounds})`;
  const pane = { enclose: box.enclose, env: box.env, settled: async () => void box.putAside() };
  const env = { ...options.host.env, ...box.outside };
  return { host: { ...options.host, env, enclosure: box }, runner: { ...inner, close }, pane, says, bounds };
}
async function inDocker(options) {
  const { openDockerSandbox: openDockerSandbox2 } = await Promise.resolve().then(() => (init_docker_sandbox(), docker_sandbox_exports));
  const { settle, tell: tell2 } = options;
  const box = await openDockerSandbox2({ ...placeOf2(options), tell: tell2, ...settle === void 0 ? {} : { settle } });
  const says = `Isolation: Docker Sandbox ${box.name} (${count(box.hosts.length, "host")})`;
  const pane = { enclose: box.agentCommand, env: box.env, settled: box.settled };
  const runner = box.runner(freeRunner(options));
  return { host: { ...options.host, enclosure: box }, runner, pane, says, synced: box };
}
function freeRunner({ runner, host, grace }) {
  return (runner === "tmux" ? tmuxRunner : directRunner)({ host, grace });
}
function placeOf2({ loop, host, cwd, stateRoot: stateRoot2, access, wish, loopPaths, like }) {
  const own2 = { ...loopPaths === void 0 ? {} : { loopPaths }, ...like === void 0 ? {} : { like } };
  return { loop: loop.id, folder: loop.folder, cwd, env: host.env, stateRoot: stateRoot2, access, wish, ...own2 };
}
function count(number2, what) {
  return `${number2} ${what}${number2 === 1 ? "" : "s"}`;
}
var init_choose = __esm({
  "src/runners/choose.ts"() {
    "use strict";
    init_error();
    init_direct();
    init_request3();
    init_tmux();
  }
});

// src/loops/stories/files/work-tree.ts
function workTree({ cwd, host, synced, loop }) {
  const { enclosure } = host;
  const env = { ...host.env, ...enclosure?.env };
  const refusals = (0, import_node_path57.join)(loop, "looks.refused");
  const enclose = enclosure && ((argv) => enclosure.enclose(argv, { refusals }));
  return {
    cwd,
    git: gitIn(cwd, env, enclose),
    run: (argv) => runProgram(argv, cwd, env, enclose),
    async write(path, content) {
      replaceFile(cwd, path, content);
      await synced?.write(path, content);
    },
    async carryIn(paths) {
      if (synced === null) return;
      const inside = await synced.digests(paths);
      for (const [index, path] of paths.entries()) {
        const content = readPlainBytes(path, LARGEST_PRD);
        const isSame = (content === null ? null : nameOf(content)) === inside[index];
        if (!isSame) await synced.write(path, content);
      }
    },
    async settle() {
      await synced?.settle();
    }
  };
}
async function repositoryWith(commit2, { git: git2 }) {
  const { ok, stdout, stderr } = await git2([
    "rev-parse",
    "--show-toplevel",
    ...commit2 === null ? [] : [`${commit2}^{commit}`]
  ]);
  if (ok) return stdout.split("\n")[0] ?? null;
  return stderr.trim() === "" ? void 0 : null;
}
var import_node_path57;
var init_work_tree = __esm({
  "src/loops/stories/files/work-tree.ts"() {
    "use strict";
    import_node_path57 = require("node:path");
    init_git();
    init_plain_file();
    init_copies();
    init_project_file();
  }
});

// src/loops/stories/isolation.ts
async function resolveStories(request, { cwd, env, self }) {
  const access = agentsAccess(...agentsOf(request));
  const needs = (0, import_node_path58.isAbsolute)(request.ralphDir) ? [request.ralphDir] : [];
  const asked2 = { env, access, cwd, self, needs, otherwise: "auto" };
  const given = request.sandbox;
  const settled2 = await resolveSandbox(given, sandboxSettings(cwd), asked2).catch((error) => {
    throw inTheSeedsWords(error, given);
  });
  return { request: { ...request, sandbox: settled2.request }, passedOver: settled2.passedOver };
}
function inTheSeedsWords(error, given) {
  const isForced = given?.kind === "docker" && error instanceof RalphError && error.code === "NO_SANDBOX";
  if (!isForced) return error;
  const { message, advice } = error;
  const hint = `${message}. ${advice.hint ?? ""}`.trim();
  return new RalphError("NO_SANDBOX", "--sandbox specified but Docker Sandbox is not available.", {
    hint,
    exitCode: 2
  });
}
function sandboxWith(request, pluginDir) {
  const sandbox2 = request.sandbox ?? NO_SANDBOX;
  if (sandbox2.kind !== "os" || pluginDir === null) return sandbox2;
  return { ...sandbox2, denyWrite: [...sandbox2.denyWrite, pluginDir] };
}
async function openIsolation(request, place) {
  const { loop, cwd, tell: tell2, passedOver } = place;
  const kind = sandboxOf(request);
  const access = agentsAccess(...agentsOf(request));
  if (kind !== "os") for (const line of modeLines(request, passedOver, "")) tell2(line);
  const pluginDir = needsPlugin(request) ? place.pluginDir : null;
  const isolation = await isolate(sandboxWith(request, pluginDir), { ...place, access, runner: "direct" });
  try {
    if (kind === "os") for (const line of modeLines(request, passedOver, isolation.bounds ?? "")) tell2(line);
    const tree = workTree({ cwd, host: isolation.host, synced: isolation.synced ?? null, loop: loop.folder });
    const loadPlugin = async () => pluginDir === null ? null : await isolation.synced?.load(pluginDir, "plugin") ?? pluginDir;
    if (kind === "os" && pluginDir !== null) await refuseHiddenPlugin(tree, pluginDir);
    return { isolation, tree, pluginDir: await loadPlugin(), loadPlugin };
  } catch (error) {
    await isolation.runner.close();
    throw error;
  }
}
async function refuseHiddenPlugin({ run }, pluginDir) {
  const { ok, stderr } = await run(["test", "-r", (0, import_node_path58.join)(pluginDir, "hooks/hooks.json")]);
  if (ok) return;
  const said = stderr.trim().split("\n")[0] ?? "";
  throw new RalphError("NO_PLUGIN", `the ralph plugin cannot be read in the sandbox (${said || pluginDir})`, {
    hint: "Leave out the --deny-read that hides it, or run without: --no-sandbox",
    exitCode: 2
  });
}
function modeLines(request, { docker, os }, bounds) {
  switch (sandboxOf(request)) {
    case "docker":
      return ["Docker Sandbox detected — using sandbox mode"];
    case "os":
      return [
        docker === null ? `Using the operating system's sandbox (${bounds})` : `Docker Sandbox not available — using the operating system's sandbox (${bounds})`
      ];
    case "none":
      return [
        ...os === null ? [] : ["Docker Sandbox not available — using direct mode", `No other sandbox either: ${os}`],
        ...agentsOf(request).map(
          (agent2) => `WARNING: Running ${loadsPlugin(agent2) ? "with --dangerously-skip-permissions without sandbox isolation" : `${agent2} without sandbox isolation and without the guard, which is Claude Code's only`}`
        )
      ];
  }
}
var import_node_path58, NOT_PASSED_OVER;
var init_isolation = __esm({
  "src/loops/stories/isolation.ts"() {
    "use strict";
    import_node_path58 = require("node:path");
    init_agents();
    init_sandbox_settings();
    init_error();
    init_choose();
    init_request3();
    init_agent();
    init_work_tree();
    init_request2();
    NOT_PASSED_OVER = { docker: null, os: null };
  }
});

// src/loops/stories/preflight.ts
function refuseUnsafe(request, { isRoot, env, pluginDir }) {
  if (!needsPlugin(request)) return;
  if (pluginDir === null) {
    const without = isSandboxed(request) ? "its Stop hook no loop begins" : "its guard nothing runs directly";
    throw new RalphError("NO_PLUGIN", `the ralph plugin was not found, and without ${without}`, {
      hint: "Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.",
      exitCode: 2
    });
  }
  if (!isSandboxed(request)) for (const command of agentsOf(request)) refuseForRoot(command, isRoot, env);
}
function refuseMissingAgents(request, cwd, path) {
  if (sandboxOf(request) === "docker") return;
  for (const command of agentsOf(request)) {
    if (findProgram(command, path, cwd) !== null) continue;
    const { reason, hint } = missingAgent(command, { path, cwd, choosingHint: CHOOSING_HINT });
    throw new RalphError("NO_AGENT", reason, { hint, exitCode: 2 });
  }
}
function withoutLoopVariables(env, users) {
  const names = ["RALPH_GUARD", "RALPH_NODE", "RALPH_ALLOWED_COMMANDS", STOP_HOOK_BLOCKS.variable];
  const others = Object.entries(env).filter(([name]) => !names.includes(name));
  const own2 = Object.entries(users).filter(([name]) => names.includes(name));
  return Object.fromEntries([...others, ...own2]);
}
function loopEnvironment(env, request, cwd) {
  return {
    ...env,
    // A machine of its own needs no guard. In the operating system's sandbox it is a second rail: what the agent may
    // write there, it could still destroy.
    ...sandboxOf(request) === "docker" ? {} : { RALPH_GUARD: "on" },
    RALPH_NODE: process.execPath,
    RALPH_ALLOWED_COMMANDS: (0, import_node_path59.resolve)(cwd, request.ralphDir, "allowed-commands.txt"),
    [STOP_HOOK_BLOCKS.variable]: env[STOP_HOOK_BLOCKS.variable] ?? STOP_HOOK_BLOCKS.count
  };
}
var import_node_path59, CHOOSING_HINT;
var init_preflight = __esm({
  "src/loops/stories/preflight.ts"() {
    "use strict";
    import_node_path59 = require("node:path");
    init_unstartable();
    init_error();
    init_which();
    init_agent();
    init_request2();
    CHOOSING_HINT = "name another with --agent.";
  }
});

// src/loops/stories/files/fingerprint.ts
async function codeSeenIn(mode, tree, ralphDir) {
  return mode === "implement" ? null : codeFingerprint(tree, ralphDir, mode === "review" ? MEMORY : []);
}
async function codeFingerprint({ cwd, run }, ralphDir, besides) {
  const { ok, stdout } = await run(["sh", "-c", PRINT, "print", (0, import_node_path60.resolve)(cwd, ralphDir), MARKER_NAME, ...besides]);
  return ok ? stdout.trim() : null;
}
var import_node_path60, MEMORY, PRINT;
var init_fingerprint = __esm({
  "src/loops/stories/files/fingerprint.ts"() {
    "use strict";
    import_node_path60 = require("node:path");
    init_active_marker();
    MEMORY = [":(glob)**/CLAUDE.md", ":(glob)**/.claude/**"];
    PRINT = `
  absolute() { case $1 in /*) printf %s "$1" ;; *) printf %s "$PWD/$1" ;; esac }
  top=$(git rev-parse --show-toplevel) || exit
  prefix=$(git rev-parse --show-prefix) || exit
  own=$(absolute "$(git rev-parse --git-dir)")
  objects=$(absolute "$(git rev-parse --git-path objects)")
  here=$(pwd -P)
  list=$1
  shift
  folder=$(mktemp -d) || exit
  trap 'rm -rf "$folder"' EXIT
  setting() { git config --file "$folder/config" "$1" "$2" || exit; }
  for name in core.sparseCheckout core.fsmonitor core.untrackedCache core.splitIndex; do setting $name false; done
  git config --name-only --get-regexp '^filter[.]' | sort -u >"$folder/filters"
  while IFS= read -r name; do
    case $name in *.clean | *.process) setting "$name" '' ;; *.required) setting "$name" false ;; esac
  done <"$folder/filters"
  export GIT_OBJECT_DIRECTORY="$folder" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
  look() { git -c include.path="$folder/config" "$@"; }
  find . -path ./.git -prune -o -name .git -print -prune | sed 's|^[.]/||; s|/[.]git$||' | LC_ALL=C sort >"$folder/all"

  # Takes what is here into the index, without what is no code, and without the repositories below "$1".
  taken() {
    base=$1
    shift
    # A file that cannot be read stays what it was: it must not hide the others.
    look add --all --ignore-errors -- . >/dev/null 2>&1
    # Git refuses a question that names a path outside of its repository.
    case $list/ in "$PWD"/*) set -- "$list" "$@" ;; esac
    look rm -r -f --cached --quiet --ignore-unmatch -- "$@" >/dev/null || exit
    while IFS= read -r one; do
      case $one in "$base"?*) look update-index --force-remove -- "\${one#"$base"}" || exit ;; esac
    done <"$folder/nested"
  }

  export GIT_INDEX_FILE="$folder/index"
  look read-tree --no-sparse-checkout HEAD 2>/dev/null || rm -f "$folder/index"
  while IFS= read -r one; do
    look check-ignore --quiet -- "$one" || printf '%s\\n' "$one"
  done <"$folder/all" >"$folder/nested"
  cd "$here" || exit
  taken '' "$@"
  tree=$(look write-tree --prefix="$prefix" 2>/dev/null || { look write-tree >/dev/null && echo none; }) || exit
  while IFS= read -r one; do
    inside=$(
      export GIT_DIR="$own" GIT_WORK_TREE="$here/$one" GIT_INDEX_FILE="$folder/index-inside"
      rm -f "$GIT_INDEX_FILE"
      cd "$here/$one" || exit
      taken "$one/" "$@"
      look write-tree
    ) || exit
    tree="$tree
$one $inside"
  done <"$folder/nested"
  printf %s "$tree" | git hash-object --stdin`;
  }
});

// src/loops/stories/files/judge-run.ts
async function judgeRun2(setting, given) {
  const { folder, copies, tree, ralphDir } = setting;
  const list2 = readPlainBytes((0, import_node_path61.join)(folder, "tasks.json"));
  return {
    ...judgedList(list2, given, copies),
    prd: copies.keep(readPlainBytes((0, import_node_path61.join)(folder, "prd.md"), LARGEST_PRD)),
    prompt: copies.keep(readPlainBytes((0, import_node_path61.join)(folder, "prompt.md"))),
    head: await headCommit(tree.git),
    code: await codeSeenIn(given.mode, tree, ralphDir),
    repository: await repositoryWith(given.head ?? null, tree)
  };
}
function judgedList(list2, given, copies) {
  const text2 = list2?.toString("utf8") ?? null;
  const before = readTasks(copies.text(given.before));
  if (!before.isValid) throw new Error("an iteration began with a list that is none");
  const { mode, reviewCap, skipReview, story } = given;
  const reviews = new Map(Object.entries(given.reviews));
  const verdict = judgeIteration(before.tasks, text2, { mode, story, reviewCap, reviews, skipReview });
  const after2 = readTasks(text2);
  const isKept = after2.isValid && verdict.kind !== "illegal";
  const stories = (isKept ? after2 : before).tasks.userStories;
  return {
    tasks: copies.keep(list2),
    verdict: kept(verdict, copies, { skipReview, before: before.tasks }),
    complete: stories.filter(({ passes }) => passes).length,
    total: stories.length
  };
}
function kept(verdict, copies, { skipReview, before }) {
  switch (verdict.kind) {
    case "legal": {
      const { submitted, approved, sentBack, isCapApproval: isCapApproval2, countBefore } = verdict.changes;
      const isDone3 = isComplete2(verdict.tasks, { skipReview });
      const passed = newlyPassing(before, verdict.tasks);
      return { kind: "legal", isComplete: isDone3, submitted, approved, sentBack, isCapApproval: isCapApproval2, countBefore, passed };
    }
    case "no-verdict":
    case "undocumented":
    case "illegal":
      return { kind: verdict.kind, reason: verdict.reason };
    case "at-cap": {
      const approved = copies.keep(`${JSON.stringify(verdict.approved, null, 2)}
`) ?? "";
      return {
        kind: "at-cap",
        story: verdict.story,
        approved,
        wasApproved: verdict.wasApproved,
        isComplete: isComplete2(verdict.approved, { skipReview }),
        countBefore: verdict.changes.countBefore
      };
    }
  }
}
function newlyPassing(before, { userStories }) {
  const passed = new Set(before.userStories.filter(({ passes }) => passes).map(({ id }) => id));
  return userStories.filter(({ id, passes }) => passes && !passed.has(id)).map(({ id }) => id);
}
var import_node_path61;
var init_judge_run = __esm({
  "src/loops/stories/files/judge-run.ts"() {
    "use strict";
    import_node_path61 = require("node:path");
    init_git();
    init_plain_file();
    init_judge2();
    init_mode();
    init_tasks();
    init_fingerprint();
    init_project_file();
    init_work_tree();
  }
});

// src/loops/stories/files/send-back.ts
async function sendBack(setting, given) {
  const { folder, copies, tree, ralphDir } = setting;
  const { stories, skipReview } = given;
  const read = readTasks(copies.text(given.tasks));
  if (!read.isValid) throw new Error("a list that was judged is none");
  const userStories = read.tasks.userStories.map(
    (story) => stories.includes(story.id) ? withoutApproval(story, given) : story
  );
  const text2 = `${JSON.stringify({ ...read.tasks, userStories }, null, 2)}
`;
  await tree.write((0, import_node_path62.join)(folder, "tasks.json"), text2);
  const what = skipReview ? "does not pass" : "changes requested";
  const committed3 = await ownCommit({
    tree,
    paths: await trackedAmong([`${ralphDir}/tasks.json`], null, tree),
    message: `review: ${stories.join(", ")} - ${what}, verifyCommands failed`
  });
  return { tasks: copies.keep(text2), complete: userStories.filter(({ passes }) => passes).length, ...committed3 };
}
function withoutApproval(story, { feedback, skipReview }) {
  if (skipReview) return { ...story, passes: false };
  const said = story.reviewFeedback.replace(CAP_PREFIX, "").trim();
  return {
    ...story,
    passes: false,
    reviewStatus: "changes_requested",
    reviewFeedback: said === "" ? feedback : `${feedback}

The review itself said:
${said}`
  };
}
var import_node_path62;
var init_send_back = __esm({
  "src/loops/stories/files/send-back.ts"() {
    "use strict";
    import_node_path62 = require("node:path");
    init_allowed_changes();
    init_tasks();
    init_own_commit();
  }
});

// src/loops/stories/steps.ts
function storiesSteps(setting) {
  return {
    mark: (given) => mark(setting, given).catch(endedByCopies),
    judge: (given) => judgeRun2(setting, given).catch(endedByCopies),
    "prompt-back": (given, { key }) => putPromptBack(setting, given, key).catch(endedByCopies),
    "put-back": (given, { key }) => putBack2(setting, given, key).catch(endedByCopies),
    approve: (given) => approve(setting, given).catch(endedByCopies),
    "send-back": (given) => sendBack(setting, given).catch(endedByCopies),
    async tell(given) {
      tell(setting.tree.cwd, setting.folder, given);
      return null;
    }
  };
}
function endedByCopies(error) {
  if (error instanceof RalphError && error.code === "COPY_CHANGED") return { spoilt: error.message };
  throw error;
}
async function mark(setting, given) {
  const { tree, folder, ralphDir, copies, place } = setting;
  const { iteration, mode, story, tasks, stuckCount } = given;
  const read = readTasks(copies.text(tasks));
  if (!read.isValid) throw new Error("an iteration began with a list that is none");
  await setting.loadPlugin();
  await tree.carryIn(["tasks.json", "prd.md", "prompt.md"].map((name) => (0, import_node_path63.join)(folder, name)));
  await writeMarker(tree, place, {
    ...loopMarker(setting),
    iteration,
    iterationMode: mode,
    stuckCount,
    story,
    preIterationSnapshot: snapshotOf(read.tasks),
    verifyCommands: read.tasks.verifyCommands ?? null
  });
  const code = await codeSeenIn(mode, tree, ralphDir);
  const head = await headCommit(tree.git);
  return { head, code, repository: await repositoryWith(head, tree) };
}
async function markPaused(setting) {
  await writeMarker(setting.tree, setting.place, { ...loopMarker(setting), paused: true });
}
function loopMarker({ ralphDir, request }) {
  const { maxIterations, skipReview, reviewCap } = request;
  const timestamp = (/* @__PURE__ */ new Date()).toISOString().replace(/\.\d+Z$/, "Z");
  const mode = isSandboxed(request) ? "sandbox" : "direct";
  return { timestamp, maxIterations, mode, skipReview, reviewCap, ralphDir };
}
async function approve(setting, { story, approved }) {
  const { folder, copies, tree, ralphDir } = setting;
  await tree.write((0, import_node_path63.join)(folder, "tasks.json"), copies.read(approved));
  const paths = await trackedAmong([`${ralphDir}/tasks.json`], null, tree);
  const { commit: commit2, problem } = await ownCommit({
    tree,
    paths,
    message: `review: ${story} - auto-approved at cap`
  });
  return { kept: [], commit: commit2, problem };
}
var import_node_path63;
var init_steps = __esm({
  "src/loops/stories/steps.ts"() {
    "use strict";
    import_node_path63 = require("node:path");
    init_error();
    init_git();
    init_active_file();
    init_fingerprint();
    init_judge_run();
    init_messages();
    init_own_commit();
    init_put_back();
    init_send_back();
    init_work_tree();
    init_snapshot();
    init_tasks();
    init_request2();
  }
});

// src/loops/stories/loop.ts
async function runStories(given, options) {
  const { environment, self } = options;
  const cwd = projectFolder(options.projectDir);
  refuseLeadingOut(cwd, given.ralphDir);
  const tasks = refuseUnready((0, import_node_path64.resolve)(cwd, given.ralphDir), given, options.pluginDir);
  const { request, passedOver } = await resolveStories(given, { cwd, env: environment.variables, self });
  refuseHere(request, options);
  refuseMissingAgents(request, cwd, environment.variables.PATH);
  const host = hostOf(environment);
  takeOverMarker(cwd, host, options);
  const { ralphDir } = request;
  const folder = (0, import_node_path64.resolve)(cwd, ralphDir);
  const last = newestStories(environment.root, cwd);
  const taken3 = consumeDecision(cwd, ralphDir, last);
  const created = { loopKind: "stories", cwd, options: { ...request, answer: taken3.answer } };
  const loop = beginLoop(storiesMachine, created, options, homeOf(environment, host));
  const { id } = loop.state;
  const begin2 = async ({ isolation }, settingOf) => {
    await endOrphans(environment.root, { cwd, except: id }, GRACE_MS);
    const work = await workState(cwd, isolation.host, (0, import_node_path64.join)(loop.folder, "looks.refused"));
    if (last?.ending === null) options.tell(replaces(last.id));
    for (const line of startWarnings(work, folder, ralphDir, options.pluginDir)) options.tell(line);
    const earlier = await putBackOfEarlier(cwd, id, settingOf, environment.root).catch(forget(loop));
    const papers = { cwd, folder, ralphDir, loop: { id, folder: loop.folder }, earlier: last?.id ?? null };
    for (const line of [...earlier, ...taken3.putAway(loop.folder), ...putPapersAway(papers)]) options.tell(line);
    const isAsItWas = earlier.length === 0;
    const list2 = isAsItWas ? tasks : refuseUnready(folder, request, options.pluginDir);
    for (const problem of unreachableStories(/* @__PURE__ */ new Map(), list2)) options.tell(`WARNING: ${problem}`);
    options.begins(list2, request);
  };
  return hostStories(loop, host, options, { passedOver, refused: forget(loop), begin: begin2 });
}
function startWarnings(work, folder, ralphDir, pluginDir) {
  const prd = readPlain((0, import_node_path64.join)(folder, "prd.md"));
  const isTemplate2 = pluginDir !== null && isTemplatePrd(prd, (0, import_node_path64.join)(pluginDir, "templates"));
  const files = work.kind === "uncommitted" ? work.files : 0;
  return [
    ...work.kind === "no-repository" ? [NO_REPOSITORY] : [],
    ...files === 0 ? [] : [
      `WARNING: ${plural(files, "changed file")} not committed: the first commit of an agent will hold ${files === 1 ? "it" : "them"}, too`
    ],
    ...isTemplate2 ? [`WARNING: ${ralphDir}/prd.md is still the template: it tells the agents nothing`] : []
  ];
}
function replaces(id) {
  return `WARNING: loop ${id} was interrupted and is replaced by this one: from now on "ralph stories resume" continues this one`;
}
function forget({ folder }) {
  return (error) => {
    (0, import_node_fs53.rmSync)(folder, { recursive: true, force: true });
    throw systemFault(error) ?? error;
  };
}
async function resumeStories(options, change = {}) {
  const { environment } = options;
  const cwd = projectFolder(options.projectDir);
  const found = newestStories(environment.root, cwd);
  if (found === null || found.ending !== null && !canContinue(found.ending)) {
    throw new RalphError("NOTHING_TO_RESUME", `no unfinished stories loop in ${cwd}`, {
      hint: unlessUnreadable(environment.root, "Start one: ralph stories run"),
      exitCode: 2
    });
  }
  const host = hostOf(environment);
  takeOverMarker(cwd, host, options);
  const folder = loopFolder(environment.root, found.id);
  const again = (_request, masked2) => wholeInputs(masked2, copiesIn(folder));
  const reopened = reopenLoop(storiesMachine, found.id, cwd, homeOf(environment, host), again);
  const { loop, says } = continueStories(reopened, found, change);
  const begin2 = async () => {
    for (const line of says) options.tell(line);
    if (wantedOf(folder) === "pause") tellLoop(folder, "resume");
    await Promise.resolve();
  };
  const refused2 = (error) => {
    throw error;
  };
  return hostStories(loop, host, options, { passedOver: NOT_PASSED_OVER, refused: refused2, begin: begin2 });
}
function refuseHere(request, { environment, isRoot, pluginDir }) {
  refuseUnsafe(request, { isRoot, env: environment.variables, pluginDir });
}
function projectFolder(path) {
  try {
    return (0, import_node_fs53.realpathSync)(path);
  } catch (error) {
    throw new RalphError("WORK_TREE", `cannot work in ${path}: ${reasonOf(error)}`, { exitCode: 2 });
  }
}
function ralphDirOf(projectDir, given) {
  const path = (0, import_node_path64.resolve)(projectDir, given);
  const inside = (0, import_node_path64.relative)(projectDir, path);
  const isOutside = inside === "" || inside.startsWith("..") || (0, import_node_path64.isAbsolute)(inside);
  return isOutside ? realOf2(path) : inside;
}
function realOf2(path) {
  return realIfThere(path) ?? ((0, import_node_path64.dirname)(path) === path ? path : (0, import_node_path64.join)(realOf2((0, import_node_path64.dirname)(path)), (0, import_node_path64.basename)(path)));
}
function hostStories(loop, base, options, { passedOver, refused: refused2, begin: begin2 }) {
  const { environment, tell: tell2, emit } = options;
  const { folder } = loop;
  const { id, cwd, data } = loop.state;
  const { request } = data;
  const isolate2 = (host) => {
    refuseHere(request, options);
    keepOut(cwd, request.ralphDir);
    const place = { loop: { id, folder }, cwd, host, grace: GRACE_MS, stateRoot: environment.root.path };
    return openIsolation(request, { ...options, ...place, passedOver });
  };
  let log = null;
  const open = async (closing2) => {
    const host = { ...base, env: loopEnvironment(base.env, request, cwd) };
    const world = await Promise.resolve(host).then(isolate2).catch(refused2);
    closing2.add(() => world.isolation.runner.close());
    closing2.add(() => removeMarker(world.tree).catch(() => void 0));
    const settingOf = settings(cwd, world, host);
    const setting = settingOf(folder, request);
    log = iterationLog(setting, host.mask, tell2);
    await begin2(world, settingOf);
    return {
      perform: performers(loop, setting, world, base.env),
      work: () => workState(cwd, world.isolation.host, (0, import_node_path64.join)(folder, "looks.refused"))
    };
  };
  const logged = (event) => {
    log?.(event);
    emit(event);
  };
  return hostLoop(
    loop,
    { machine: storiesMachine, resume: "ralph stories resume", open },
    { ...options, emit: logged }
  );
}
function performers(loop, setting, { isolation, pluginDir }, users) {
  const { host, runner, synced } = isolation;
  const { tree, folder, request, copies } = setting;
  const read = storiesReader({ folder, request, copies, pluginDir });
  const around = {
    loop: { id: loop.state.id, folder: loop.folder },
    cwd: tree.cwd,
    host,
    runner,
    grace: GRACE_MS,
    now: Date.now,
    choosingHint: CHOOSING_HINT
  };
  const local = localPerformers(around);
  const checks = localPerformers({ ...around, host: { ...host, env: withoutLoopVariables(host.env, users) } });
  return performerOf({
    ...local,
    // Given by this loop kind's own rules.
    readInputs: ({ known, given }) => read(known, given),
    check: (action, at) => checks.check({ ...action, check: { ...action.check, log: (0, import_node_path64.join)(loop.folder, action.check.log) } }, at),
    async wait(action, at) {
      const result = await local.wait(action, at);
      if (result.kind === "waited" && result.command === "resume") await synced?.resync();
      if (result.kind === "waited" && result.command === "pause") await markPaused(setting);
      return result;
    },
    steps: storiesSteps(setting)
  });
}
function settings(cwd, { tree, loadPlugin }, { place }) {
  return (loop, request) => {
    const { ralphDir } = request;
    const folder = (0, import_node_path64.resolve)(cwd, ralphDir);
    return { tree, folder, ralphDir, loop, request, copies: copiesIn(loop), place, loadPlugin };
  };
}
function keepOut(cwd, ralphDir) {
  for (const pattern of [MARKER_NAME, PUT_ASIDE]) excludeFromGit(cwd, pattern);
  if ((0, import_node_path64.isAbsolute)(ralphDir)) return;
  for (const name of ["logs/", ...TOLD_FILES]) excludeFromGit(cwd, `**/${ralphDir}/${name}`);
}
function takeOverMarker(cwd, host, { tell: tell2 }) {
  const pid = takeOver(cwd, host.place);
  if (pid !== null) tell2(`${MARKER_NAME} was left by process ${pid}, which is gone; taking it over`);
}
var import_node_fs53, import_node_path64, GRACE_MS, storiesMachine, NO_REPOSITORY;
var init_loop2 = __esm({
  "src/loops/stories/loop.ts"() {
    "use strict";
    import_node_fs53 = require("node:fs");
    import_node_path64 = require("node:path");
    init_ending();
    init_error();
    init_machine();
    init_system_fault();
    init_usage();
    init_control();
    init_host2();
    init_loop();
    init_orphans();
    init_performers();
    init_exclude();
    init_work_state();
    init_paths();
    init_plain_file();
    init_registry();
    init_init();
    init_continue_loop();
    init_earlier_loop();
    init_active_file();
    init_archive_previous_logs();
    init_consume_decision();
    init_copies();
    init_messages();
    init_project_file();
    init_find_loop();
    init_inputs();
    init_isolation();
    init_iteration_log();
    init_active_marker();
    init_dependencies();
    init_preflight();
    init_rules2();
    init_steps();
    GRACE_MS = 5e3;
    storiesMachine = loopMachine(storiesRules);
    NO_REPOSITORY = "WARNING: this is not a git repository: nothing is committed, reviewers see no differences, and a review that changes code itself is not noticed. To make it one, run: git init";
  }
});

// src/loops/stories/commands/end-loops.ts
async function endLoops(cwd, { root, variables }, reason) {
  const unfinished = listLoops(root).filter(
    (loop) => loop.loopKind === "stories" && loop.cwd === cwd && loop.ending === null
  );
  const home = { root, place: thisMachine3(), mask: maskFor(variables) };
  for (const loop of unfinished) {
    const folder = loopFolder(root, loop.id);
    if (dataIn(folder) === null) quarantine(journalPath(folder));
    else await endUnfinished(storiesMachine, loop, home, reason, { at: Date.now(), grace: GRACE_MS });
  }
  return unfinished.map(({ id }) => id);
}
function quarantine(journal) {
  (0, import_node_fs54.renameSync)(journal, `${journal}.damaged-${Date.now()}`);
}
var import_node_fs54;
var init_end_loops = __esm({
  "src/loops/stories/commands/end-loops.ts"() {
    "use strict";
    import_node_fs54 = require("node:fs");
    init_mask();
    init_end_unfinished();
    init_identity();
    init_paths();
    init_registry();
    init_find_loop();
    init_loop2();
  }
});

// src/config/environment.ts
var environment_exports = {};
__export(environment_exports, {
  REHEARSAL_VARIABLE: () => REHEARSAL_VARIABLE,
  choosableFolders: () => choosableFolders,
  ownMask: () => ownMask,
  readEnvironment: () => readEnvironment,
  rehearsalPrefix: () => rehearsalPrefix
});
function readEnvironment(variables = process.env) {
  return {
    variables,
    root: stateRoot(variables),
    swarmHome: swarmHomeOf(variables),
    swarmSecondMs: Number(variables.SWARM_SECOND_MS) || 1e3,
    containment: readRung(variables.RALPH_CONTAINMENT),
    color: (variables.NO_COLOR ?? "") === "" && variables.TERM !== "dumb"
  };
}
function ownMask() {
  return maskFor(process.env);
}
function rehearsalPrefix(variables = process.env) {
  const command = variables[REHEARSAL_VARIABLE] ?? "";
  return command === "" ? "" : `${command} -- `;
}
function choosableFolders(variables = process.env) {
  return [
    { folder: stateRoot(variables).path, choose: "set XDG_STATE_HOME to a directory that you can write to" },
    { folder: swarmHomeOf(variables), choose: "set SWARM_HOME to a directory that you can write to" }
  ];
}
function swarmHomeOf({ SWARM_HOME, HOME }) {
  return (0, import_node_path65.resolve)(SWARM_HOME || (0, import_node_path65.join)(HOME || "/", ".swarm"));
}
function readRung(value) {
  if (value === void 0 || value === "") return null;
  const level = CONTAINMENT_LEVELS.find((known) => known === value);
  if (level !== void 0) return level;
  throw new RalphError("ENVIRONMENT", `RALPH_CONTAINMENT is "${value}"`, {
    hint: `It may be ${CONTAINMENT_LEVELS.join(", ")}; unset, the strongest that works here is taken.`,
    exitCode: 2
  });
}
var import_node_path65, REHEARSAL_VARIABLE;
var init_environment = __esm({
  "src/config/environment.ts"() {
    "use strict";
    import_node_path65 = require("node:path");
    init_error();
    init_mask();
    init_containment();
    init_paths();
    REHEARSAL_VARIABLE = "RALPH_REHEARSAL";
  }
});

// src/cli/stories/place.ts
function placeOf3(flags) {
  const projectDir = projectFolder(flags.projectDir ?? process.cwd());
  return { projectDir, ralphDir: ralphDirOf(projectDir, flags.ralphDir ?? "ralph"), environment: readEnvironment() };
}
function listPlaceOf(flags) {
  const place = placeOf3(flags);
  if (flags.ralphDir !== void 0) return place;
  const { projectDir, environment } = place;
  const last = knownLoop(environment.root, projectDir)?.request?.ralphDir;
  const isThere = last !== void 0 && (0, import_node_fs55.existsSync)((0, import_node_path66.resolve)(projectDir, last, "tasks.json"));
  return isThere ? { ...place, ralphDir: last } : place;
}
function pluginOf({ variables }, here) {
  return findPlugin(here, variables.RALPH_PLUGIN_DIR);
}
var import_node_fs55, import_node_path66;
var init_place = __esm({
  "src/cli/stories/place.ts"() {
    "use strict";
    import_node_fs55 = require("node:fs");
    import_node_path66 = require("node:path");
    init_environment();
    init_plugin_folder();
    init_find_loop();
    init_loop2();
  }
});

// src/cli/stories/init.ts
var init_exports = {};
__export(init_exports, {
  initCommand: () => initCommand
});
async function initCommand(flags, here) {
  const { projectDir, ralphDir, environment } = placeOf3(flags);
  const pluginDir = pluginOf(environment, here);
  const templates = templatesOf(pluginDir);
  const name = flags.name?.trim() || null;
  const ends = () => endLoops(projectDir, environment, "a new plan was begun");
  const force = flags.force === true;
  const written = await initStories({ projectDir, ralphDir, name, force, templates, now: /* @__PURE__ */ new Date(), endLoops: ends });
  excludeFromGit(projectDir, MARKER_NAME);
  const made = written.map((path) => `  ${path}
`).join("");
  process.stdout.write(`Initialized ${ralphDir}/ in ${projectDir}
${made}${nextSteps(ralphDir, pluginDir)}`);
  return 0;
}
function nextSteps(ralphDir, pluginDir) {
  const at = ralphDir === "ralph" ? "" : ` --ralph-dir ${quoteWord(ralphDir)}`;
  return `
Next steps:
  1. Write what is to be built into ${ralphDir}/prd.md and its stories into ${ralphDir}/tasks.json, or have both planned with you:
     ${planningCommand(pluginDir)}
  2. Commit, then run the loop: ralph stories run${at}
  3. When it is done: ralph stories archive
`;
}
var init_init2 = __esm({
  "src/cli/stories/init.ts"() {
    "use strict";
    init_quote_word();
    init_end_loops();
    init_init();
    init_plugin_folder();
    init_active_marker();
    init_exclude();
    init_place();
  }
});

// src/loops/stories/commands/survey.ts
function surveyStories({ projectDir, ralphDir, root, place }) {
  const known = knownLoop(root, projectDir);
  const skipReview = markerIn(projectDir)?.skipReview ?? known?.request?.skipReview ?? false;
  const text2 = readPlain((0, import_node_path67.resolve)(projectDir, ralphDir, "tasks.json"));
  const read = readTasks(text2, `${ralphDir}/tasks.json`);
  const isOn = known?.request?.verify !== false;
  const verify = { commands: verifyCommandsIn(text2), isOn, last: known?.state?.data.verified ?? null };
  const loop = loopIn(projectDir, known, root, place);
  if (!read.isValid) {
    const problem = read.problems[0] ?? "";
    return { project: null, stories: [], problem, isComplete: false, next: null, budget: null, verify, loop };
  }
  const { tasks } = read;
  const isUnverified = unverifiedIn(known, root);
  const isRed = (verify.last?.red.length ?? 0) > 0;
  const isPassed = isComplete2(tasks, { skipReview });
  const isDone3 = isPassed && !isRed && !tasks.userStories.some(isUnverified);
  const { mode, story } = chooseMode(tasks, { skipReview });
  const isAsked = awaitsAnswer(projectDir, ralphDir, known?.status.ending ?? null);
  const waits = isAsked ? `${ralphDir}/${DECIDE_FILE} waits for your answer` : story ? null : waitingReason(tasks, ralphDir);
  return {
    project: tasks.project,
    stories: tasks.userStories.map((one) => ({
      id: one.id,
      title: one.title,
      state: isUnverified(one) ? "unverified" : one.reviewStatus ?? (one.passes ? "passes" : "open"),
      reviewCount: one.reviewCount,
      isCapApproval: isCapApproval(one)
    })),
    problem: null,
    isComplete: isDone3,
    next: isPassed ? null : { mode, story: story?.id ?? null, waits },
    budget: isPassed ? null : estimateBudget(tasks, { skipReview }),
    verify,
    loop
  };
}
function unverifiedIn(known, root) {
  const running = known?.status.ending === null ? known.state?.data.running : null;
  if (known === null || running == null) return () => false;
  const before = readTasks(textOf5(copiesIn(loopFolder(root, known.status.id)), running.tasks));
  if (!before.isValid) return () => false;
  const passed = new Set(before.tasks.userStories.filter(({ passes }) => passes).map(({ id }) => id));
  return ({ id, passes }) => passes && !passed.has(id);
}
function textOf5(copies, name) {
  try {
    return copies.text(name);
  } catch (error) {
    if (error instanceof RalphError && error.code === "COPY_CHANGED") return null;
    throw error;
  }
}
function loopIn(cwd, known, root, place) {
  const isMarked = livingMarker(cwd, place) !== null;
  if (known === null || known.status.ending !== null && isMarked) {
    return isMarked ? { id: null, state: "running", pid: null, iteration: null, ending: null, started: null, continueWith: null } : null;
  }
  const { status, state: folded2 } = known;
  const { id, ending } = status;
  const holder = ending === null ? lockHolder(workTreeLock(root, cwd), place) : null;
  const pid = holder?.purpose === `loop ${id}` ? holder.pid : null;
  const isTold = wantedOf(loopFolder(root, id)) === "pause";
  const turning = isTold ? known.isPaused ? "paused" : "pausing" : "running";
  const state = ending !== null ? "ended" : pid === null ? "interrupted" : turning;
  const started = folded2 === null ? null : iterationsWithRun(folded2);
  const mayGoOn = state !== "ended" || ending !== null && canContinue(ending) && ending.kind !== "tampered";
  const continueWith = mayGoOn ? folded2 === null ? "ralph stories resume" : continueCommand(folded2, ending) : null;
  return { id, state, pid, iteration: folded2?.iteration ?? null, ending, started, continueWith };
}
var import_node_path67;
var init_survey = __esm({
  "src/loops/stories/commands/survey.ts"() {
    "use strict";
    import_node_path67 = require("node:path");
    init_ending();
    init_error();
    init_control();
    init_lock();
    init_paths();
    init_plain_file();
    init_work_tree_lock();
    init_closing();
    init_active_file();
    init_consume_decision();
    init_copies();
    init_messages();
    init_find_loop();
    init_inputs();
    init_judge2();
    init_mode();
    init_tasks();
    init_story_state();
  }
});

// src/cli/signals.ts
function handleSignals(say) {
  const stop = new AbortController();
  const cancel = new AbortController();
  const onSignal = () => {
    if (!stop.signal.aborted) {
      say("Received signal, shutting down...");
      say("The current operation is allowed to finish; a second signal ends it now.");
      stop.abort();
    } else if (!cancel.signal.aborted) {
      say("Ending the current operation now; it has up to 5 seconds to clean up.");
      cancel.abort();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stop: stop.signal,
    cancel: cancel.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    }
  };
}
var SIGNALS;
var init_signals = __esm({
  "src/cli/signals.ts"() {
    "use strict";
    SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
  }
});

// src/core/text/task-ids.ts
var init_task_ids = __esm({
  "src/core/text/task-ids.ts"() {
    "use strict";
    init_error();
  }
});

// src/loops/tasks/folder/task-folder.ts
var STDERR_NAME;
var init_task_folder = __esm({
  "src/loops/tasks/folder/task-folder.ts"() {
    "use strict";
    init_error();
    init_task_ids();
    STDERR_NAME = "agent-stderr.txt";
  }
});

// src/loops/tasks/rules.ts
function limitOf({ request, inputs }) {
  return inputs?.maxRestarts ?? request.maxRestarts;
}
function afterInputs2({ data, iteration }) {
  const { request, inputs } = data;
  if (request.kind === "job") return null;
  if (inputs?.isDone === true) return { data, go: toStep("children") };
  if (typeof inputs?.wait === "string") return { data, go: end2({ kind: "waiting", reason: inputs.wait }) };
  if (inputs?.stopRequested === true) return { data, go: end2(STOP_REQUESTED) };
  if (iteration > limitOf(data)) return { data, go: toStep("exhausted") };
  if (request.dependsOn.length > 0 && !data.isUnblocked) return { data, go: toStep("dependencies") };
  return null;
}
function afterEveryRun({ data: before, iteration }, ran) {
  const { outcome } = ran;
  const data = { ...before, attempts: iteration, lastRun: lastRunOf(ran) };
  if (outcome.kind === "auth" || outcome.kind === "blocked")
    return { data, go: end2({ kind: outcome.kind, reason: outcome.reason }) };
  const exitSaysWait = outcome.kind === "failed" && outcome.exit.by === "code" && outcome.exit.code === WAIT_EXIT_CODE;
  const failure3 = outcome.kind === "worked" ? null : outcome.kind;
  return { data: { ...data, exitSaysWait, failure: failure3 }, go: toStep("look") };
}
function lastRunOf(ran) {
  const { outcome, transcript, complaint } = ran;
  const failure3 = outcome.kind === "failed" ? describeFailure(ran) : null;
  const words = transcript.bytes > 0 ? transcript.path : complaint === void 0 ? null : besideIt(transcript.path);
  return { outcome, failure: failure3, log: words };
}
function besideIt(stdout) {
  return `${stdout.slice(0, stdout.lastIndexOf("/") + 1)}${STDERR_NAME}`;
}
function afterLook2(data, { isDone: isDone3, wait, stopRequested }) {
  if (data.request.kind === "job") return afterJob(data, wait);
  if (isDone3) return toStep("children");
  const reason = data.exitSaysWait ? `the agent exited with code ${WAIT_EXIT_CODE}` : wait;
  if (reason !== null) return end2({ kind: "waiting", reason });
  if (stopRequested) return end2(STOP_REQUESTED);
  return { to: "next-iteration" };
}
function afterJob({ exitSaysWait, failure: failure3 }, wait) {
  if (exitSaysWait || wait !== null) return end2({ kind: "waiting", reason: wait ?? "the agent waits" });
  return end2(failure3 === null ? { kind: "done" } : { kind: "kept-failing", failures: 1 });
}
function answersText({ answers = [] }) {
  if (answers.length === 0) return "";
  const said = answers.map(
    ({ question, answer }) => `${question === null ? "" : `You waited: ${question}
`}Answer: ${answer}`
  );
  return `

## Answers
You waited for somebody, and this is what you were told:

${said.join("\n\n")}`;
}
function toStep(what) {
  return { to: "step", what };
}
function end2(ending) {
  return { to: "end", ending };
}
var TASK_DEFAULTS, NEW_TASK, WAIT_EXIT_CODE, CONTINUE, STOP_REQUESTED, taskRules, taskMachine;
var init_rules3 = __esm({
  "src/loops/tasks/rules.ts"() {
    "use strict";
    init_machine();
    init_outcome();
    init_task_folder();
    TASK_DEFAULTS = {
      maxRestarts: 100,
      waitTimeoutMs: 3e5,
      pollIntervalMs: 1e3,
      restartDelayMs: 1e3,
      dependencyPollMs: 2e3,
      graceMs: 5e3
    };
    NEW_TASK = {
      ...TASK_DEFAULTS,
      kind: "task",
      flags: [],
      isResumed: false,
      parentRunId: null,
      previousRunId: null,
      runId: null,
      idleTimeoutMs: null,
      totalTimeoutMs: null,
      dependsOn: []
    };
    WAIT_EXIT_CODE = 42;
    CONTINUE = "Continue working on the following:\n\n";
    STOP_REQUESTED = { kind: "stopped", reason: "a stop was requested" };
    taskRules = {
      loopKind: "task",
      begin: (request) => ({
        request,
        inputs: null,
        isUnblocked: false,
        exitSaysWait: false,
        failure: null,
        attempts: 0,
        lastRun: null
      }),
      takeInputs: (data, inputs) => ({ ...data, inputs }),
      afterInputs: afterInputs2,
      limit: limitOf,
      rereadsLimit: "after-rest",
      rest: (data) => data.request.restartDelayMs,
      backoffUnit: () => 1e3,
      agent: ({ data }) => ({ command: data.request.agent, flags: data.request.flags, mode: "stream" }),
      prompt: ({ iteration, data }) => {
        const isAgain = iteration > 1 || data.request.isResumed;
        return `${isAgain ? CONTINUE : ""}${data.inputs?.prompt ?? ""}${answersText(data.request)}`;
      },
      listen: () => ({ tag: "", multiline: false }),
      limits: ({ data: { request } }) => ({ timeMs: request.totalTimeoutMs, idleMs: request.idleTimeoutMs }),
      afterEveryRun,
      steps: {
        dependencies: {
          given: ({ data: { request } }) => ({ dependsOn: request.dependsOn, pollMs: request.dependencyPollMs }),
          after: ({ data }, { isDone: isDone3 }) => ({
            data: { ...data, isUnblocked: true },
            go: isDone3 ? toStep("children") : { to: "run", purpose: "work" }
          })
        },
        look: { given: () => null, after: ({ data }, seen) => ({ data, go: afterLook2(data, seen) }) },
        children: {
          given: ({ data: { request } }) => ({ timeoutMs: request.waitTimeoutMs, pollMs: request.pollIntervalMs }),
          after: ({ data }) => ({ data, go: toStep("propagation") })
        },
        propagation: { outward: true, given: () => null, after: ({ data }) => ({ data, go: end2({ kind: "done" }) }) },
        exhausted: {
          outward: true,
          given: ({ data }) => ({ limit: limitOf(data) }),
          after: ({ data }) => ({ data, go: end2({ kind: "iteration-limit", limit: limitOf(data) }) })
        }
      }
    };
    taskMachine = loopMachine(taskRules);
  }
});

// src/cli/terminal.ts
function thisTerminal({ variables, color }) {
  const { stdout, stderr } = process;
  return { stdout, stderr, color: stdout.isTTY && color, mask: maskFor(variables) };
}
async function inTerminal(loopKind, { show, tell: tell2, ready, close }, { stop, cancel, release }, host) {
  const ends = [];
  try {
    const driven = await host({ emit: show, tell: tell2, ready, stop, cancel, left: (...end3) => void ends.push(end3) });
    for (const end3 of ends) close(driven, ...end3);
    return exitCodeOf(driven, loopKind);
  } finally {
    release();
  }
}
function exitCodeOf(driven, loopKind) {
  if (driven.kind === "stopped") return EXIT_INTERRUPTED;
  const seeds = SEED_CODES;
  return seeds[loopKind]?.(driven.ending) ?? EXIT_CODES[driven.ending.kind];
}
var SEED_CODES;
var init_terminal = __esm({
  "src/cli/terminal.ts"() {
    "use strict";
    init_ending();
    init_mask();
    init_story_state();
    init_rules3();
    SEED_CODES = {
      swarm: ({ kind }) => kind === "done" || kind === "iteration-limit" ? 0 : 1,
      stories: (ending) => ending.kind === "infrastructure" && ending.reason === EMPTY_REPLIES ? 1 : void 0,
      // A job that waits has no result yet: its caller must not build on one.
      job: ({ kind }) => kind === "waiting" ? WAIT_EXIT_CODE : kind === "kept-failing" ? 1 : void 0
    };
  }
});

// src/cli/closing-printer.ts
function closingPrinter(say, color) {
  return (summary) => {
    const [first = "", ...rest] = closingLines({ ...summary, next: summary.next.map(inRehearsal) }).map(printable);
    say("");
    say(color ? (0, import_node_util5.styleText)(COLORS[summary.mark], first, { validateStream: false }) : first);
    for (const line of rest) say(line);
  };
}
function inRehearsal(next2) {
  const isOurs = /^(?:ralph|swarm) /.test(next2.command);
  return isOurs ? { ...next2, command: `${rehearsalPrefix()}${next2.command}` } : next2;
}
var import_node_util5, COLORS;
var init_closing_printer = __esm({
  "src/cli/closing-printer.ts"() {
    "use strict";
    import_node_util5 = require("node:util");
    init_environment();
    init_closing_summary();
    init_printable();
    COLORS = { done: "green", failed: "red", "needs-you": "yellow" };
  }
});

// src/cli/outlet.ts
function openOutlet({ stdout, stderr, mask }) {
  let shown2 = "";
  const flush = () => {
    if (shown2 !== "") stdout.write(shown2);
    shown2 = "";
  };
  const show = (text2) => {
    if (shown2 === "") queueMicrotask(flush);
    shown2 += `${text2}
`;
    if (shown2.length > WRITE_AT_ONCE) flush();
  };
  const say = (line) => {
    flush();
    stderr.write(`${mask(line)}
`);
  };
  return {
    show,
    say,
    ready() {
      const behind = [stdout, stderr].find((sink) => sink.writableNeedDrain && !sink.destroyed);
      return behind === void 0 ? null : catchingUp(behind);
    }
  };
}
function catchingUp(sink) {
  const events = ["drain", "close", "error"];
  return new Promise((resolve21) => {
    const goOn = () => {
      for (const event of events) sink.off(event, goOn);
      resolve21();
    };
    for (const event of events) sink.on(event, goOn);
  });
}
var WRITE_AT_ONCE;
var init_outlet = __esm({
  "src/cli/outlet.ts"() {
    "use strict";
    WRITE_AT_ONCE = 16 * 1024;
  }
});

// src/cli/open-console.ts
function openConsole(options, reportWith = (say) => (line) => say(printable(line))) {
  const { show, say, ready } = openOutlet(options);
  const report = reportWith(say);
  const sayClosing = closingPrinter(say, options.color);
  const maskShown = maskAcrossLines(options.mask);
  let format = eventFormatter();
  const showText = (text2) => {
    const masked2 = text2 === null ? null : maskShown(text2);
    if (masked2 !== null) show(masked2);
  };
  return {
    say,
    report,
    ready,
    showText,
    /** Every run of an agent is shown by a formatter of its own. */
    formatWith(formatter) {
      format = formatter;
    },
    /** `streams` is false where only what the agent reports besides its work is shown. */
    showProgress(event, streams = true) {
      if (event.type === "stderr") say(printable(event.text));
      if (event.type === "notice") report(`Agent: ${event.text}`);
      if (event.type === "refusal") report(`Sandbox: ${event.text}`);
      if (streams) showText(format(event));
    },
    close({ usage }, lines, closing2) {
      if (usage.runs > 0) report(`Usage: ${describeUsage(usage)}`);
      for (const line of lines) report(line);
      sayClosing(closing2);
    }
  };
}
function leftBy(driven) {
  return driven.kind === "ended" ? driven.ending : { kind: "interrupted" };
}
var init_open_console = __esm({
  "src/cli/open-console.ts"() {
    "use strict";
    init_mask();
    init_usage();
    init_formatter();
    init_printable();
    init_closing_printer();
    init_outlet();
  }
});

// src/cli/task/table.ts
function tableLines(header, rows) {
  const all = [header, ...rows.map((row) => row.map(inOneCell))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map(
    (row) => row.map((cell, column) => column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)).join("  ")
  );
}
function inOneCell(text2) {
  return text2.split(/\s+/).filter(Boolean).join(" ") || "-";
}
var init_table = __esm({
  "src/cli/task/table.ts"() {
    "use strict";
  }
});

// src/cli/words.ts
function outcomeLines(outcome) {
  switch (outcome.kind) {
    case "worked":
      return [];
    case "failed":
      return [
        `Agent failed (${describeExit(outcome.exit)}${outcome.reason === void 0 ? "" : `: ${outcome.reason}`})`
      ];
    default:
      return [faultLine(outcome)];
  }
}
function faultLine({ kind, reason }) {
  return `${FAULTS[kind]}: ${printable(reason)}`;
}
function clockTime(at) {
  return clockSecond(at).slice(0, -":00".length);
}
function clockSecond(at) {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 6e4);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
var FAULTS;
var init_words = __esm({
  "src/cli/words.ts"() {
    "use strict";
    init_outcome();
    init_printable();
    FAULTS = {
      limit: "The agent reached its usage limit",
      auth: "The agent could not authenticate",
      infrastructure: "A fault that is not the work's",
      hang: "The agent hangs",
      blocked: "The agent is blocked",
      tampered: "The loop was tampered with",
      interrupted: "The agent was interrupted"
    };
  }
});

// src/cli/stories/status.ts
var status_exports = {};
__export(status_exports, {
  isCounted: () => isCounted,
  statusCommand: () => statusCommand,
  storyTable: () => storyTable
});
async function statusCommand({ json = false, ...flags }) {
  const { projectDir, ralphDir, environment } = listPlaceOf(flags);
  const survey = surveyStories({ projectDir, ralphDir, root: environment.root, place: thisMachine3() });
  const text2 = json ? JSON.stringify(survey, null, 2) : statusLines(survey).map(printable).join("\n");
  process.stdout.write(`${text2}
`);
  return Promise.resolve(survey.problem === null ? 0 : 1);
}
function statusLines(survey) {
  const { project, stories, problem, verify, loop } = survey;
  const loopLine = loop === null ? "Loop: none yet" : `Loop: ${loopWords(loop)}`;
  if (problem !== null) return [problem, loopLine];
  const complete = stories.filter(isCounted).length;
  return [
    ...project ? [`Project: ${inOneCell(project)}`] : [],
    ...storyTable(stories),
    "",
    `Stories: ${complete}/${stories.length} complete`,
    leftLine(survey),
    verifyLine(verify),
    loopLine
  ];
}
function leftLine({ stories, isComplete: isComplete3, next: next2, budget, verify }) {
  if (isComplete3) return "All stories are complete.";
  if (next2 !== null)
    return next2.waits === null ? `Next: ${next2.mode} ${next2.story}; ${budget}` : `Next: nothing, because ${next2.waits}`;
  const waiting2 = stories.filter(({ state }) => state === "unverified").map(({ id }) => id);
  if (waiting2.length > 0) return `Next: the loop's own verdict on ${waiting2.join(", ")}`;
  const red = verify.last?.red.map(({ command }) => command).join(", ") ?? "";
  return `Not done: every story is approved, but ${red} failed. To verify again, run: ralph stories run`;
}
function verifyLine({ commands, isOn, last }) {
  if (commands.length === 0) return "Verify: nothing, tasks.json has no verifyCommands";
  if (!isOn) return `Verify: not run by the last loop (--no-verify): ${commands.join(", ")}`;
  if (last === null) return `Verify: not run yet: ${commands.join(", ")}`;
  if (last.red.length === 0) return `Verify: passed in iteration ${last.iteration}: ${last.commands.join(", ")}`;
  const failed3 = last.red.map(({ command, outcome, log }) => `${command} (${describeOutcome(outcome)}, log ${log})`);
  return `Verify: failed in iteration ${last.iteration}: ${failed3.join(", ")}`;
}
function isCounted({ state }) {
  return state === "approved" || state === "passes";
}
function storyTable(stories) {
  if (stories.length === 0) return [];
  const rows = stories.map(({ id, title, state, reviewCount, isCapApproval: isCapApproval2 }) => {
    return [
      id,
      state === "unverified" ? "approved, not verified" : state,
      `${reviewCount}${isCapApproval2 ? " (cap)" : ""}`,
      title
    ];
  });
  return tableLines(["STORY", "STATE", "REVIEWS", "TITLE"], rows);
}
function loopWords({ id, state, pid, iteration, ending, started, continueWith }) {
  if (id === null) return `${MARKER_NAME} says that one runs here, with another state folder or another program`;
  const at = iteration === null ? "" : `, iteration ${iteration}`;
  const goOn = continueWith === null ? "" : `; to continue, run: ${continueWith}`;
  switch (state) {
    case "running":
      return `running (pid ${pid}${at})`;
    case "pausing":
      return `pausing after this iteration (pid ${pid}${at})`;
    case "paused":
      return `paused (pid ${pid}${at})${goOn}`;
    case "interrupted":
      return `interrupted${at}${goOn}`;
    case "ended":
      return `${ending === null ? "ended" : endingWords(ending, started ?? iteration ?? 0)}${goOn}`;
  }
}
function endingWords(ending, started) {
  const { outcome } = describeLeft(ending, started);
  const words = `${outcome.charAt(0).toLowerCase()}${outcome.slice(1)}`;
  return "reason" in ending && ending.reason !== void 0 ? `${words} (${inOneCell(ending.reason)})` : words;
}
var init_status2 = __esm({
  "src/cli/stories/status.ts"() {
    "use strict";
    init_check();
    init_closing_summary();
    init_survey();
    init_active_marker();
    init_identity();
    init_printable();
    init_table();
    init_place();
  }
});

// src/cli/stories/console.ts
function storiesConsole(options, surveyed) {
  const { mask, color } = options;
  const { say, report, ready, formatWith, showProgress, close } = openConsole(options, ralphLines);
  let last = null;
  let isDoneTold = false;
  return {
    show(event) {
      if (event.type === "progress") {
        showProgress(event.event);
        return;
      }
      const before = last;
      last = event.state;
      if (event.type === "record") {
        for (const line of resultLines(event.record, event.state, before)) report(line);
        if (!isDone2(event.state)) return;
        for (const line of doneLines(event.state)) report(line);
        isDoneTold = true;
      } else if (event.action.do === "start") {
        formatWith(eventFormatter({ ...DEFAULT_FORMAT, mask, color }));
        say("");
        report(iterationLine(event.state));
      } else if (event.action.do === "check") report(verifyingLine(event.action.check, event.state));
    },
    tell: report,
    begins(tasks, request) {
      report(`Estimated budget: ${estimateBudget(tasks, request)}`);
      report(verifyPlan(tasks, request));
    },
    ready,
    close(driven, state, work) {
      const stories = surveyed();
      const ending = driven.kind === "stopped" ? ["Stopped. The loop is unfinished."] : endingLines(driven.ending, last, isDoneTold);
      const counts = { complete: stories.filter(isCounted).length, total: stories.length };
      const closing2 = storiesClosing(state, leftBy(driven), work, counts, clockTime);
      close(state, [...storyTable(stories), ...ending], closing2);
    }
  };
}
function ralphLines(say) {
  return (text2) => {
    const [first = "", ...more] = printable(text2).split("\n");
    for (const line of [first, ...more.map((one) => `    ${one}`)]) say(`[ralph] ${line}`.trimEnd());
  };
}
function verifyPlan({ verifyCommands = [] }, { ralphDir, verify }) {
  const commands = verifyCommands.filter((command) => command.trim() !== "").join(", ");
  if (commands === "")
    return `WARNING: ${ralphDir}/tasks.json has no verifyCommands: ralph runs no checks of its own, the agents' word is all there is`;
  return verify === false ? `WARNING: --no-verify: ralph does not run verifyCommands (${commands}), the agents' word is all there is` : `Before a story counts, ralph runs: ${commands}`;
}
function iterationLine({ iteration, data: { request, running } }) {
  const what = running === null ? "" : ` — ${running.mode} — ${running.story.id} ${inOneCell(running.story.title)}`;
  return `=== Iteration ${iteration}/${request.maxIterations}${what} ===`;
}
function verifyingLine({ command, index }, { data }) {
  const stories = data.verifying?.stories.join(", ") ?? "";
  return `Verifying ${isBeforeEnd(data, index) ? "once more before the end" : stories}: ${command}`;
}
function checkedLines(checked, { data }) {
  const commands = commandsOf(data);
  const command = commands[checked.index % commands.length] ?? "";
  const took = formatDuration(checked.durationMs);
  const line = hasPassed(checked) ? `✓ ${command} (${took})` : `✗ ${command}: ${describeOutcome(checked.outcome)} (${took}), log ${checked.log}`;
  return [line, ...(checked.refused ?? []).map((text2) => `Sandbox: ${text2}`)];
}
function isDone2({ phase }) {
  return phase.at === "end" && phase.ending.kind === "done";
}
function doneLines({ data }) {
  const { promised, verified, request } = data;
  const said = promised?.kind === "complete" ? "All stories complete and verified!" : "All stories verified complete via tasks.json (no promise tag).";
  const commands = commandsOf(data);
  if (commands.length > 0 && verified !== null) return [said, `Verified by ralph's own run of: ${commands.join(", ")}`];
  const unverified = request.verify === false ? "verifyCommands were not run by ralph (--no-verify)" : "No verifyCommands: ralph ran no checks of its own";
  return [said, unverified];
}
function resultLines({ result }, state, before) {
  switch (result.kind) {
    case "checked":
      return checkedLines(result, state);
    case "ran":
      return outcomeLines(result.outcome);
    case "waited":
      if (result.command === "resume") return ["Resumed"];
      return result.command === "pause" ? [`Paused before iteration ${state.iteration + 1}; to go on: ralph stories resume`] : [];
    case "inputs":
      return result.inputs === void 0 ? [] : inputLines(state, before);
    case "stepped":
      return stepLines(result, state, before?.data ?? state.data);
    default:
      return [];
  }
}
function stepLines(step, state, before) {
  if (step.gave === null || "spoilt" in step.gave) return [];
  const isPromptBack = state.phase.at === "step" && state.phase.what === "prompt-back";
  switch (step.what) {
    case "judge":
      return [...stuckLines(state), ...isPromptBack ? [] : judgedLines(state)];
    case "prompt-back":
      return [...promptLines(step.gave, state), ...judgedLines(state)];
    case "put-back":
      return putBackLines(step.gave, before);
    case "send-back":
      return sentBackLines(step.gave, before);
    case "approve":
      return approvedLines(step.gave, state);
    case "mark":
      return [];
  }
}
function inputLines({ data: { inputs, request } }, before) {
  const began = before?.data.running?.prompt;
  const isChanged = began !== void 0 && began !== inputs?.promptCopy;
  return [
    ...isChanged ? [`WARNING: ${request.ralphDir}/prompt.md was changed since the last run began; the next one follows it`] : [],
    ...(inputs?.inPause ?? []).map((what) => `During the pause: ${what}`)
  ];
}
function promptLines({ kept: kept2, commit: commit2, problem }, { data: { request } }) {
  const what = `WARNING: ${request.ralphDir}/prompt.md was changed during this iteration; it is put back.`;
  return [
    `${what} Edit it between two loops, or in a pause.`,
    ...kept2.map((path) => `The agent's version is kept in ${path}`),
    ...commitLines(commit2, problem)
  ];
}
function stuckLines({ data: { ran, emptyInARow, stuckCount, request } }) {
  if (ran?.outcome.kind !== "worked" || emptyInARow > 0 || stuckCount < STUCK_WARNING) return [];
  return [
    `WARNING: ${withoutCommit(stuckCount)}: look into ${request.ralphDir}/progress.txt and ${request.ralphDir}/logs/`
  ];
}
function judgedLines(state) {
  const { judged, ran, promised, note, emptyInARow } = state.data;
  if (judged === null || ran?.outcome.kind !== "worked") return [];
  if (emptyInARow > 0) {
    if (state.phase.at === "end") return [];
    return [`Empty response — retrying iteration ${state.iteration} (attempt ${emptyInARow + 1})`];
  }
  const { verdict } = judged;
  const promise = promised?.kind === "complete" ? ["Completion signal detected. Verifying tasks.json..."] : [];
  if (isDone2(state)) return promise;
  const unkept = promise.length > 0 && verdict.kind !== "at-cap" && !(verdict.kind === "legal" && verdict.isComplete);
  const warning = unkept ? ["WARNING: Promise tag found but tasks.json verification failed."] : [];
  return [...promise, ...warning, ...verdictLines(state, note)];
}
function verdictLines({ data }, note) {
  const { judged, pending } = data;
  if (pending?.why === "tampered") return [`TAMPERED: ${note ?? ""}`];
  if (note !== null) return [`Iteration failed: ${note}`];
  const verdict = judged?.verdict;
  if (verdict?.kind !== "legal") return [];
  return [
    ...verdict.submitted === null ? [] : [`Story ${verdict.submitted}: submitted for review`],
    ...verdict.approved === null ? [] : [`Story ${verdict.approved}: ${verdict.isCapApproval ? "auto-approved at cap" : "approved"}`],
    ...verdict.sentBack === null ? [] : [`Story ${verdict.sentBack}: changes requested`]
  ];
}
function putBackLines({ kept: kept2, commit: commit2, problem }, { pending, note }) {
  const isBetween = pending?.why === "between";
  return [
    ...isBetween ? [`TAMPERED: ${note ?? ""}`] : [],
    pending?.why === "interrupted" ? "The last run was cut off; tasks.json is put back as it was before it" : "tasks.json is put back as it was",
    ...kept2.map((path) => `${isBetween ? "What was written" : "The agent's version"} is kept in ${path}`),
    ...commitLines(commit2, problem)
  ];
}
function commitLines(commit2, problem) {
  return [
    ...commit2 === null ? [] : [`Committed ${commit2.slice(0, 12)}`],
    ...problem === null ? [] : [`WARNING: it could not be committed: ${problem}`]
  ];
}
function sentBackLines({ problem }, data) {
  const { verifying, request, promised } = data;
  const stories = verifying?.stories.join(", ") ?? "";
  const what = request.skipReview ? `Story ${stories}: does not pass, verifyCommands failed` : `Story ${stories}: the approval does not count, verifyCommands failed; changes requested`;
  return [
    ...promised?.kind === "complete" ? ["WARNING: Promise tag found but verifyCommands failed."] : [],
    what,
    ...commitLines(null, problem)
  ];
}
function approvedLines({ problem }, { data }) {
  const verdict = data.judged?.verdict;
  const atCap = verdict?.kind === "at-cap" ? verdict : null;
  const which = `at the review cap (${data.request.reviewCap})`;
  const what = atCap?.wasApproved === true ? `approved with feedback ${which}; marked` : `changes requested ${which}; auto-approved`;
  const cap = `Story ${atCap?.story ?? ""}: ${what}, see its reviewFeedback`;
  return [cap, ...commitLines(null, problem)];
}
function endingLines(ending, last, isDoneTold) {
  switch (ending.kind) {
    case "done":
      return isDoneTold || last === null ? [] : doneLines(last);
    case "iteration-limit":
      return [`Max iterations (${ending.limit}) reached without completion.`];
    case "kept-failing":
      return [`ERROR: ${ending.failures} consecutive failures. Aborting.`];
    case "infrastructure":
      return [`ERROR: ${ending.reason}${ending.reason === EMPTY_REPLIES ? ". Aborting." : ""}`];
    case "blocked":
      return [`BLOCKED: ${ending.reason}`];
    case "decision":
      return [`DECISION NEEDED: ${ending.reason}`];
    case "stuck":
    case "tampered":
    case "unpublished":
      return [`ERROR: ${ending.reason}`];
    case "configuration":
      return [`ERROR: ${ending.reason}`, ...ending.hint === void 0 ? [] : [`hint: ${ending.hint}`]];
    case "auth":
      return [`ERROR: ${ending.reason}`, "hint: log the agent in, or give it a valid key"];
    case "usage-limit": {
      const lifted = ending.resetAt === null ? "" : `; it is lifted at ${clockTime(ending.resetAt)}`;
      return [`ERROR: usage limit: ${ending.reason}${lifted}`];
    }
    case "stopped":
    case "waiting":
      return ["Stopped for good."];
  }
}
var init_console = __esm({
  "src/cli/stories/console.ts"() {
    "use strict";
    init_check();
    init_duration();
    init_closing();
    init_mode();
    init_story_state();
    init_verify_rules();
    init_formatter();
    init_printable();
    init_open_console();
    init_table();
    init_words();
    init_status2();
  }
});

// src/agents/describe-command.ts
var ANSWER_FILE;
var init_describe_command = __esm({
  "src/agents/describe-command.ts"() {
    "use strict";
    init_quote_word();
    init_which();
    init_help();
    init_agents();
    ANSWER_FILE = "answer.txt";
  }
});

// src/runners/sandbox/describe.ts
function describePolicy({ writable, readOnly, vacant, unreadable: unreadable2, hosts, temp }) {
  return [
    ...section(
      "may be written",
      writable.map((path) => path === temp ? "a temporary folder of its own" : path)
    ),
    ...section("may be read only, within that", readOnly),
    ...section("is put aside, should it appear", vacant),
    ...section("is hidden", unreadable2),
    ...section("may be reached", hosts)
  ];
}
function section(title, lines) {
  return [`  ${title}:`, ...lines.length === 0 ? ["    nothing"] : lines.map((line) => `    ${line}`)];
}
var init_describe = __esm({
  "src/runners/sandbox/describe.ts"() {
    "use strict";
  }
});

// src/cli/sandbox-lines.ts
async function sandboxLines(sandbox2, { loopPaths, ...place }) {
  return sandbox2.kind === "none" ? ["Sandbox: none"] : sandboxLinesFrom(sandbox2, policyFacts(place), loopPaths);
}
async function sandboxLinesFrom(sandbox2, facts, loopPaths) {
  if (sandbox2.kind === "os") {
    const policy = sandboxPolicy(facts, sandbox2);
    return [
      "Sandbox (the operating system's):",
      ...describePolicy(loopPaths === void 0 ? policy : withLoopPaths(policy, loopPaths))
    ];
  }
  if (sandbox2.kind === "docker") {
    const { describeDocker: describeDocker2, dockerPolicyFrom: dockerPolicyFrom2 } = await Promise.resolve().then(() => (init_docker_sandbox(), docker_sandbox_exports));
    return [
      "Sandbox (Docker's):",
      ...describeDocker2(dockerPolicyFrom2(facts, { wish: sandbox2, ...loopPaths === void 0 ? {} : { loopPaths } }))
    ];
  }
  return ["Sandbox: none"];
}
var init_sandbox_lines = __esm({
  "src/cli/sandbox-lines.ts"() {
    "use strict";
    init_describe();
    init_facts();
    init_policy();
  }
});

// src/cli/stories/dry-run.ts
var dry_run_exports = {};
__export(dry_run_exports, {
  dryRun: () => dryRun
});
async function dryRun(given, { projectDir: cwd, environment }, { here, self }, stdout) {
  const { variables: env, root } = environment;
  const mask = maskFor(env);
  const say = (line) => stdout.write(`${mask(printable(line))}
`);
  const folder = (0, import_node_path68.resolve)(cwd, given.ralphDir);
  const pluginDir = pluginOf(environment, here);
  const tasks = refuseUnready(folder, given, pluginDir);
  const { request } = await resolveStories(given, { cwd, env, self });
  refuseUnsafe(request, { isRoot: process.getuid?.() === 0, env, pluginDir });
  const list2 = listState(readPlain((0, import_node_path68.resolve)(folder, "tasks.json")), request);
  if (list2.is === "open") {
    const { id, title } = list2.story;
    say(`First iteration: ${list2.mode} ${id}${title.trim() === "" ? "" : ` (${title})`}`);
    say(`
Command line (the prompt is ${request.ralphDir}/prompt.md and what this iteration is for):`);
    say(`  ${await commandLine(request, list2.mode, { cwd, env, pluginDir })}`);
  } else {
    say(
      list2.is === "complete" ? "All stories are complete: no agent would be started." : `Nothing would be run: ${list2.reason}`
    );
  }
  say("");
  say(verifyPlan(tasks, request));
  const place = { loop: "dry run", cwd, env, stateRoot: root.path, access: agentsAccess(...agentsOf(request)) };
  const sandbox2 = sandboxWith(request, needsPlugin(request) ? pluginDir : null);
  for (const line of await sandboxLines(sandbox2, place)) say(line);
  say("\nDry run: nothing was started.");
  return 0;
}
async function commandLine(request, mode, { cwd, env, pluginDir }) {
  const inDocker2 = request.sandbox?.kind === "docker" ? await Promise.resolve().then(() => (init_docker_sandbox(), docker_sandbox_exports)) : null;
  const plugin = pluginDir !== null && inDocker2 !== null ? inDocker2.insidePath("plugin") : pluginDir;
  const agent2 = agentFor(request, mode, plugin);
  const adapter = profileFor(agent2.command);
  const help = helpOf(adapter, findProgram(agent2.command, env.PATH, cwd), env);
  const isEnclosed = isSandboxed(request);
  const { argv } = adapter.commandLine({ ...agent2, prompt: "PROMPT", help, answerFile: ANSWER_FILE, isEnclosed });
  const template = adapter.sandbox?.docker;
  const isInside2 = inDocker2 !== null && template !== void 0;
  const whole = isInside2 ? inDocker2.dockerRun(sandboxName(cwd), argv, template) : argv;
  return whole.map(quoteWord).join(" ");
}
var import_node_path68;
var init_dry_run = __esm({
  "src/cli/stories/dry-run.ts"() {
    "use strict";
    import_node_path68 = require("node:path");
    init_describe_command();
    init_help();
    init_agents();
    init_mask();
    init_quote_word();
    init_agent();
    init_inputs();
    init_isolation();
    init_preflight();
    init_request2();
    init_which();
    init_prepare();
    init_plain_file();
    init_printable();
    init_sandbox_lines();
    init_console();
    init_place();
  }
});

// src/cli/stories/run.ts
var run_exports = {};
__export(run_exports, {
  hosted: () => hosted,
  runCommand: () => runCommand
});
async function runCommand(flags, program2) {
  const place = placeOf3(flags);
  const request = requestOf(flags, place);
  if (flags.dryRun === true) return (await Promise.resolve().then(() => (init_dry_run(), dry_run_exports))).dryRun(request, place, program2, process.stdout);
  return hosted(place, program2, (options) => runStories(request, options));
}
function requestOf(flags, { ralphDir }) {
  return storiesRequest({
    ralphDir,
    maxIterations: flags.maxIterations,
    agent: flags.agent,
    model: flags.model || null,
    reviewAgent: flags.reviewAgent || null,
    reviewModel: flags.reviewModel || null,
    skipReview: flags.skipReview === true,
    reviewCap: flags.reviewCap,
    ...flags.failureBackoff === void 0 ? {} : { backoffUnitMs: flags.failureBackoff },
    stuckAfter: flags.stuckAfter ?? null,
    verify: flags.verify,
    ...flags.verifyTimeout === void 0 ? {} : { verifyTimeoutMs: flags.verifyTimeout },
    sandbox: sandboxFromFlags(flags)
  });
}
function hosted(place, { release, here, self }, host) {
  const { projectDir, ralphDir, environment } = place;
  const survey = { projectDir, ralphDir, root: environment.root, place: thisMachine3() };
  const console = storiesConsole(thisTerminal(environment), () => surveyStories(survey).stories);
  const isRoot = process.getuid?.() === 0;
  const around = { projectDir, environment, release, pluginDir: pluginOf(environment, here), isRoot, self };
  const { begins, tell: tell2 } = console;
  return inTerminal("stories", console, handleSignals(tell2), (ports) => host({ ...around, ...ports, begins }));
}
var init_run = __esm({
  "src/cli/stories/run.ts"() {
    "use strict";
    init_survey();
    init_loop2();
    init_request2();
    init_identity();
    init_request3();
    init_signals();
    init_terminal();
    init_console();
    init_place();
  }
});

// src/cli/stories/steer.ts
var steer_exports = {};
__export(steer_exports, {
  pauseCommand: () => pauseCommand,
  resumeCommand: () => resumeCommand
});
async function pauseCommand(flags) {
  const place = listPlaceOf(flags);
  const { id, state, pid, continueWith } = loopOf(place) ?? NO_LOOP;
  if (id === null || pid === null) {
    const hint = continueWith === null ? "Start one: ralph stories run" : `To continue the last one: ${continueWith}`;
    throw new RalphError("NOT_RUNNING", `no stories loop runs in ${place.projectDir}`, { hint, exitCode: 1 });
  }
  refuseOwnAgent(place, id);
  tellLoop(loopFolder(place.environment.root, id), "pause");
  const words = state === "running" ? "Pausing after the current iteration" : "Already paused";
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to go on: ralph stories resume
`);
  return Promise.resolve(0);
}
async function resumeCommand(flags, program2) {
  const place = listPlaceOf(flags);
  const { maxIterations } = flags;
  const loop = loopOf(place);
  if (loop !== null && loop.id !== null) refuseOwnAgent(place, loop.id);
  if (loop !== null && loop.id !== null && (loop.state === "paused" || loop.state === "pausing")) {
    if (maxIterations !== void 0) throw stillRuns(loop.pid);
    tellLoop(loopFolder(place.environment.root, loop.id), "resume");
    process.stdout.write(`[ralph] Resumed (pid ${loop.pid})
`);
    return 0;
  }
  const change = maxIterations === void 0 ? {} : { maxIterations };
  return hosted(place, program2, (options) => resumeStories(options, change));
}
function stillRuns(pid) {
  return new RalphError("RUNNING", `the loop is still there (pid ${pid}), with the limit that it began with`, {
    hint: "Resume it without -n, or stop it first (Ctrl-C).",
    exitCode: 2
  });
}
function refuseOwnAgent({ environment: { root, variables } }, id) {
  const trace = readLastTrace(runsFolder(loopFolder(root, id)));
  if (variables.RALPH_LOOP !== id && (trace === null || !isInside(trace, process))) return;
  throw new RalphError("OWN_AGENT", "a loop is not steered by its own agent", {
    hint: "To hand something to a person, say so: <promise>DECIDE:the question</promise>",
    exitCode: 1
  });
}
function loopOf({ projectDir, ralphDir, environment }) {
  return surveyStories({ projectDir, ralphDir, root: environment.root, place: thisMachine3() }).loop;
}
var NO_LOOP;
var init_steer = __esm({
  "src/cli/stories/steer.ts"() {
    "use strict";
    init_error();
    init_control();
    init_survey();
    init_loop2();
    init_end();
    init_identity();
    init_trace();
    init_paths();
    init_run_files();
    init_place();
    init_run();
    NO_LOOP = { id: null, state: "ended", pid: null, continueWith: null };
  }
});

// src/hooks/stories/uncommitted.ts
function uncommitted(status, ralphDir) {
  const lines = status.split("\n").filter((line) => line !== "" && !isMarker(line));
  if (lines.length === 0) return [];
  const rest = lines.length > MOST_SHOWN ? ["…"] : [];
  return [
    [
      "You have uncommitted changes. Before stopping, you must:",
      `1. Update ${ralphDir}/progress.txt with what was accomplished and what was learned`,
      "2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/",
      "3. Commit ALL changes including progress.txt and tasks.json updates",
      "Uncommitted:",
      ...lines.slice(0, MOST_SHOWN),
      ...rest
    ].join("\n")
  ];
}
function isMarker(line) {
  return line === `?? ${MARKER_NAME}` || line.endsWith(`/${MARKER_NAME}`);
}
var MOST_SHOWN;
var init_uncommitted = __esm({
  "src/hooks/stories/uncommitted.ts"() {
    "use strict";
    init_active_marker();
    MOST_SHOWN = 10;
  }
});

// src/loops/stories/commands/check.ts
async function checkStories({ projectDir, ralphDir, root, place, look: look2 }) {
  const marker = markerIn(projectDir);
  const idle = whyIdle(marker, place);
  const acting = idle === null ? marker : null;
  const last = knownLoop(root, projectDir)?.request;
  const folder = acting?.ralphDir ?? ralphDir;
  const mode = acting?.iterationMode ?? null;
  const text2 = readPlain((0, import_node_path69.resolve)(projectDir, folder, "tasks.json"));
  const verdict = judgeAgainst(acting?.preIterationSnapshot ?? null, text2, {
    mode,
    story: acting?.story ?? null,
    reviewCap: acting?.reviewCap ?? last?.reviewCap ?? DEFAULT_REVIEW_CAP,
    skipReview: acting?.skipReview ?? last?.skipReview ?? false,
    frozen: acting?.frozen ?? null,
    shownPath: `${folder}/tasks.json`
  });
  return {
    isHeld: acting !== null,
    by: mode === null ? `${idle ?? "no iteration runs"}, so transitions were not checked` : `mode ${mode}`,
    ralphDir: folder,
    reason: verdict.kind === "legal" ? unreachableIn(verdict.tasks, acting !== null) : verdict.reason,
    verifyCommands: last?.verify === false ? [] : verifyCommandsIn(text2),
    ...await statusOf2(look2)
  };
}
function unreachableIn(tasks, isHeld) {
  const problems = isHeld ? [] : unreachableStories(/* @__PURE__ */ new Map(), tasks);
  return problems.length === 0 ? null : problems.join("\n");
}
async function statusOf2(look2) {
  if ("problem" in look2) return { status: "", unasked: look2.problem };
  const { stdout } = await look2.tree.git(["status", "--porcelain", "--ignore-submodules=dirty"]);
  return { status: stdout, unasked: null };
}
function whyIdle(marker, place) {
  if (marker === null) return "no iteration runs";
  if (marker.isPaused) return "the loop is paused";
  return isLeftBehind(marker, place, (owner) => isRunning(owner, place)) ? `${MARKER_NAME} was left by process ${marker.pid}, which is gone` : null;
}
var import_node_path69;
var init_check2 = __esm({
  "src/loops/stories/commands/check.ts"() {
    "use strict";
    import_node_path69 = require("node:path");
    init_identity();
    init_plain_file();
    init_active_file();
    init_find_loop();
    init_inputs();
    init_active_marker();
    init_dependencies();
    init_judge2();
  }
});

// src/loops/stories/commands/read-only-worktree.ts
async function withOutsideLook(place, use) {
  const { cwd, environment } = place;
  const known = knownLoop(environment.root, cwd);
  const request = known?.request ?? null;
  if (known === null || request === null) return use({ tree: freeTree(place) });
  const folder = loopFolder(environment.root, known.status.id);
  switch (sandboxOf(request)) {
    case "none":
      return use({ tree: freeTree(place) });
    case "docker": {
      const problem = repositoryWatch({ folder, workspace: cwd, env: environment.variables })();
      return use(problem === null ? { tree: freeTree(place) } : { problem });
    }
    case "os":
      return withinLike(folder, request, place, use);
  }
}
function freeTree({ cwd, environment }) {
  const tree = workTree({ cwd, host: { env: environment.variables }, synced: null, loop: "" });
  return { ...tree, git: (args) => tree.git([...QUIET, ...args]) };
}
async function withinLike(like, request, { cwd, environment, self }, use) {
  const loop = { id: `${like}/look-${process.pid}`, folder: (0, import_node_path70.join)(like, `look-${process.pid}`) };
  const access = agentsAccess(...agentsOf(request));
  const host = thisHost(environment.variables, environment.containment);
  const around = { cwd, host, grace: GRACE_MS2, stateRoot: environment.root.path, self, access };
  makePrivateFolder(loop.folder);
  try {
    const opened = await isolate(request.sandbox, { ...around, loop, like, runner: "direct" }).catch(problemOf);
    if ("problem" in opened) return await use(opened);
    try {
      return await use({ tree: workTree({ cwd, host: opened.host, synced: null, loop: loop.folder }) });
    } finally {
      await opened.runner.close();
    }
  } finally {
    (0, import_node_fs56.rmSync)(loop.folder, { recursive: true, force: true });
  }
}
function problemOf(error) {
  if (error instanceof RalphError) return { problem: error.message };
  throw error;
}
var import_node_fs56, import_node_path70, QUIET, GRACE_MS2;
var init_read_only_worktree = __esm({
  "src/loops/stories/commands/read-only-worktree.ts"() {
    "use strict";
    import_node_fs56 = require("node:fs");
    import_node_path70 = require("node:path");
    init_agents();
    init_error();
    init_host();
    init_choose();
    init_repository_watch();
    init_folders();
    init_paths();
    init_agent();
    init_work_tree();
    init_find_loop();
    init_request2();
    QUIET = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    GRACE_MS2 = 5e3;
  }
});

// src/cli/stories/check.ts
var check_exports = {};
__export(check_exports, {
  checkCommand: () => checkCommand
});
async function checkCommand(flags, self) {
  const { environment, ...where } = listPlaceOf(flags);
  const asked2 = { ...where, root: environment.root, place: thisMachine3() };
  const looking = { cwd: where.projectDir, environment, self };
  const checked = await withOutsideLook(looking, (look2) => checkStories({ ...asked2, look: look2 }));
  const { isHeld, by, ralphDir, reason, status, unasked, verifyCommands } = checked;
  const unseen = unasked === null ? [] : [`git was not asked what is uncommitted: ${unasked}`];
  const reasons = [...reason === null ? [] : [reason], ...uncommitted(status, ralphDir), ...unseen];
  if (reasons.length === 0) {
    process.stdout.write(`[ralph] All checks passed (${by}).
`);
    if (verifyCommands.length > 0)
      process.stdout.write(
        `[ralph] Not run here: ${printable(verifyCommands.join(", "))}. The loop runs them before a story counts.
`
      );
    return 0;
  }
  process.stdout.write(`${printable(reasons.join("\n\n"))}
`);
  const what = isHeld ? "The Stop hook would not let the agent stop" : "Not in order";
  process.stderr.write(`[ralph] ${what} (${by}).
`);
  return 1;
}
var init_check3 = __esm({
  "src/cli/stories/check.ts"() {
    "use strict";
    init_uncommitted();
    init_check2();
    init_read_only_worktree();
    init_identity();
    init_printable();
    init_place();
  }
});

// src/loops/stories/commands/archive.ts
async function archiveStories(request) {
  const { projectDir, ralphDir, templates, now: now2 } = request;
  refuseLeadingOut(projectDir, ralphDir);
  const folder = (0, import_node_path71.resolve)(projectDir, ralphDir);
  const text2 = readPlain((0, import_node_path71.join)(folder, "tasks.json"));
  if (text2 === null) {
    throw new RalphError("NOTHING_TO_ARCHIVE", `${ralphDir}/tasks.json not found`, {
      hint: "There is nothing to archive; prepare the project with: ralph stories init",
      exitCode: 1
    });
  }
  refuseUntouched(folder, text2, request);
  await request.endLoops();
  const read = readTasks(text2);
  const tasks = read.isValid ? read.tasks : null;
  const label = await labelOf(request, text2);
  const { complete, total } = countOf(text2);
  const path = freePath(projectDir, `${dayOf2(now2)}-${label}`);
  const began = startOf((0, import_node_path71.join)(folder, "progress.txt"));
  const summary = summaryOf({ project: projectOf(text2), label, complete, total, tasks, began, now: now2 });
  const names = request.includeLogs ? [...PAPERS, "logs"] : PAPERS;
  inHeldFolder((0, import_node_path71.join)(projectDir, path), { makes: true }, (to) => {
    inHeldFolder(folder, {}, (from) => {
      for (const name of names.filter((one) => (0, import_node_fs57.existsSync)((0, import_node_path71.join)(from, one)))) move((0, import_node_path71.join)(from, name), (0, import_node_path71.join)(to, name));
    });
    writeFile((0, import_node_path71.join)(to, "summary.md"), summary, { flag: "wx" });
  });
  writeTemplates(folder, { projectDir, name: null, templates, now: now2 }, { overwrites: false });
  const message = `archive(ralph): ${label} — ${complete}/${total} stories completed`;
  const done = await committed2(request, message, path);
  return { path, label, complete, total, ...done };
}
function refuseUntouched(folder, list2, { ralphDir, templates }) {
  if (!isTemplate(list2) || !isTemplatePrd(readPlain((0, import_node_path71.join)(folder, "prd.md")), templates)) return;
  throw new RalphError("NOTHING_TO_ARCHIVE", `${ralphDir}/ still holds the templates`, {
    hint: `There is nothing to archive. Write ${ralphDir}/prd.md and ${ralphDir}/tasks.json first.`,
    exitCode: 1
  });
}
function move(from, to) {
  try {
    (0, import_node_fs57.renameSync)(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    (0, import_node_fs57.cpSync)(from, to, { recursive: true, verbatimSymlinks: true });
    (0, import_node_fs57.rmSync)(from, { recursive: true });
  }
}
async function committed2({ ralphDir, look: look2 }, message, path) {
  if ("problem" in look2) return { commit: null, problem: look2.problem };
  const { tree } = look2;
  const inside = await tree.git(["rev-parse", "--is-inside-work-tree"]);
  if (!inside.ok) return { commit: null, problem: "not a git repository" };
  return ownCommit({ tree, message, paths: (0, import_node_path71.isAbsolute)(ralphDir) ? [path] : [path, ralphDir] });
}
async function labelOf({ label, look: look2 }, text2) {
  const branch = async () => "problem" in look2 ? "" : (await look2.tree.git(["symbolic-ref", "--short", "--quiet", "HEAD"])).stdout.trim();
  const chosen = label || branchOf(text2) || await branch() || projectOf(text2) || "loop";
  const clean = chosen.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  return /^\.+$/.test(clean) ? "loop" : clean;
}
function branchOf(text2) {
  const file = parsedJson(text2);
  const name = isFields(file) && typeof file.branchName === "string" ? file.branchName.trim() : "";
  return name === "ralph/feature-name" ? "" : name;
}
function projectOf(text2) {
  const file = parsedJson(text2);
  return isFields(file) && typeof file.project === "string" ? file.project.trim() : "";
}
function countOf(text2) {
  const file = parsedJson(text2);
  const stories = isFields(file) && Array.isArray(file.userStories) ? file.userStories.filter(isFields) : [];
  return { complete: stories.filter(({ passes }) => passes === true).length, total: stories.length };
}
function freePath(projectDir, name) {
  for (let twin = 1; ; twin++) {
    const path = (0, import_node_path71.join)("ralph-archive", twin === 1 ? name : `${name}-${twin}`);
    if (!(0, import_node_fs57.existsSync)((0, import_node_path71.join)(projectDir, path))) return path;
  }
}
function startOf(progress) {
  const said = /^Started:\s*(\d{4}-\d{2}-\d{2})/m.exec(readPlain(progress) ?? "")?.[1];
  return said ?? ((0, import_node_fs57.existsSync)(progress) ? dayOf2((0, import_node_fs57.lstatSync)(progress).birthtime) : "unknown");
}
function summaryOf({ project, label, complete, total, tasks, began, now: now2 }) {
  const today = dayOf2(now2);
  const rows = (tasks?.userStories ?? []).map((story) => {
    const state = story.passes ? "completed" : "open";
    const cap = isCapApproval(story) ? " (auto-approved at cap)" : "";
    const title = story.title.split(/\s+/).join(" ").replaceAll("|", "\\|");
    return `| ${story.id} | ${title} | ${state} | ${story.reviewCount}${cap} |`;
  });
  const table = rows.length === 0 ? [] : ["", "| Story | Title | State | Reviews |", "|---|---|---|---|", ...rows];
  return [
    `# Ralph Loop Archive: ${label}`,
    "",
    `- **Project:** ${project || label}`,
    `- **Archived:** ${today}`,
    `- **Date range:** ${began} – ${today}`,
    `- **Stories:** ${complete}/${total} completed`,
    ...table,
    ""
  ].join("\n");
}
var import_node_fs57, import_node_path71, PAPERS;
var init_archive = __esm({
  "src/loops/stories/commands/archive.ts"() {
    "use strict";
    import_node_fs57 = require("node:fs");
    import_node_path71 = require("node:path");
    init_error();
    init_files();
    init_held_folder();
    init_plain_file();
    init_messages();
    init_own_commit();
    init_project_file();
    init_inputs();
    init_json();
    init_judge2();
    init_tasks();
    init_init();
    PAPERS = ["prd.md", "tasks.json", "progress.txt", ...TOLD_FILES];
  }
});

// src/cli/stories/archive.ts
var archive_exports = {};
__export(archive_exports, {
  archiveCommand: () => archiveCommand
});
async function archiveCommand(flags, { here, self }) {
  const { projectDir, ralphDir, environment } = listPlaceOf(flags);
  const { loop } = surveyStories({ projectDir, ralphDir, root: environment.root, place: thisMachine3() });
  const marked = loop?.id === null ? livingMarker(projectDir, thisMachine3()) : null;
  if (marked !== null) throw markedElsewhere(projectDir, marked);
  if (loop?.pid != null) {
    throw new RalphError("LOCKED", `a loop runs in ${projectDir} (pid ${loop.pid})`, {
      hint: `Wait for its end, or stop it first: kill ${loop.pid}`,
      exitCode: 2
    });
  }
  const templates = templatesOf(pluginOf(environment, here));
  const label = flags.label?.trim() || null;
  const includeLogs = flags.includeLogs === true;
  const now2 = /* @__PURE__ */ new Date();
  const ends = () => endLoops(projectDir, environment, "its papers were filed away");
  const request = { projectDir, ralphDir, label, includeLogs, templates, now: now2, endLoops: ends };
  const looking = { cwd: projectDir, environment, self };
  const done = await withOutsideLook(looking, (look2) => archiveStories({ ...request, look: look2 }));
  const commit2 = done.commit === null ? "" : ` and committed it (${done.commit.slice(0, 12)})`;
  process.stdout.write(`Archived ${done.complete}/${done.total} stories to ${done.path}${commit2}
`);
  if (done.problem !== null) process.stderr.write(`Warning: not committed: ${done.problem}
`);
  process.stdout.write(`${ralphDir}/ is ready for the next loop; prompt.md is as it was.
`);
  return 0;
}
var init_archive2 = __esm({
  "src/cli/stories/archive.ts"() {
    "use strict";
    init_error();
    init_archive();
    init_end_loops();
    init_plugin_folder();
    init_read_only_worktree();
    init_survey();
    init_active_file();
    init_identity();
    init_place();
  }
});

// node_modules/commander/esm.mjs
var import_index = __toESM(require_commander(), 1);
var {
  program,
  createCommand,
  createArgument,
  createOption,
  CommanderError,
  InvalidArgumentError,
  InvalidOptionArgumentError,
  // deprecated old name
  Command,
  Argument,
  Option,
  Help
} = import_index.default;

// package.json
var version = "0.1.0";

// src/cli/stories/program.ts
init_agents();
init_error();
init_duration();

// src/cli/task/arguments.ts
init_duration();
function collect(value, before = []) {
  return [...before, value];
}

// src/cli/sandbox-flags.ts
function addSandboxFlags(command, without = "run without one (the default)") {
  return command.addOption(
    new Option(
      "--sandbox [kind]",
      "run in a sandbox: docker, os for the operating system's own, or auto for the strongest that is there"
    ).choices(["docker", "os", "auto"]).preset("docker")
  ).option("--no-sandbox", without).option("--allow-host <host>", "a host to reach from the sandbox, such as *.example.com or localhost:8080", collect).option("--allow-write <path>", "a path that may be written from the sandbox", collect).option("--deny-write <path>", "a path that the sandbox leaves as it is, such as the tests", collect).option("--deny-read <path>", "a path that the sandbox hides", collect);
}

// src/cli/stories/program.ts
function addStories(stories, exitWith, program2) {
  const { here } = program2;
  const plan = (act) => exitWith(told2(act));
  withList(
    withPlace(
      stories.command("init").description("Prepare a project: ralph/ with prompt, PRD, task list and progress log.")
    )
  ).option("--name <feature>", "the feature; the list names its branch ralph/<feature>, which is yours to make").option("--force", "overwrite what is there").addHelpText("after", "\nExample:\n  ralph stories init --name checkout").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_init2(), init_exports))).initCommand(flags, here)));
  withRun(
    withList(
      withPlace(
        stories.command("run").description("Run the loop: implement, review with a fresh context, fix, until every story is approved.")
      )
    )
  ).addHelpText("after", RUN_EXAMPLES).action((flags) => plan(async () => (await Promise.resolve().then(() => (init_run(), run_exports))).runCommand(flags, program2)));
  withPlace(stories.command("pause").description("Pause the loop of this project after its current iteration.")).addHelpText("after", "\nExample:\n  ralph stories pause      # then edit ralph/tasks.json, and resume").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_steer(), steer_exports))).pauseCommand(flags)));
  withPlace(
    stories.command("resume").description("Continue the last loop: one that was paused or interrupted, or that ended before it was done.")
  ).option("-n, --max-iterations <n>", "max loop iterations (default: as before)", positiveInteger2).addHelpText("after", "\nExamples:\n  ralph stories resume\n  ralph stories resume -n 30").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_steer(), steer_exports))).resumeCommand(flags, program2)));
  withKnownList(
    withPlace(stories.command("status").description("Show the stories, their reviews, the loop and what is left."))
  ).option("--json", "for programs").addHelpText("after", "\nExample:\n  ralph stories status").action(
    (flags) => plan(async () => (await Promise.resolve().then(() => (init_status2(), status_exports))).statusCommand(flags))
  );
  withKnownList(
    withPlace(stories.command("check").description("Make the Stop hook's checks now, and print what it would say."))
  ).addHelpText("after", "\nExample:\n  ralph stories check").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_check3(), check_exports))).checkCommand(flags, program2.self)));
  withKnownList(
    withPlace(stories.command("archive").description("File the loop away in ralph-archive/ and start afresh."))
  ).option("--label <label>", "its name (default: the branch of tasks.json, else the one that is checked out)").option("--include-logs", "ralph/logs, too").addHelpText("after", "\nExample:\n  ralph stories archive --label checkout").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_archive2(), archive_exports))).archiveCommand(flags, program2)));
}
function withPlace(command) {
  return command.option("-d, --project-dir <path>", "project root (default: cwd)");
}
function withList(command) {
  return command.option("--ralph-dir <path>", "path to ralph/ directory (default: ./ralph)");
}
function withKnownList(command) {
  return command.option("--ralph-dir <path>", "path to ralph/ directory (default: the last loop's, else ./ralph)");
}
var RUN_EXAMPLES = `
Without a word about it the loop runs in the strongest sandbox that is there: Docker's, the operating system's, none.

Examples:
  ralph stories run -n 20 --review-cap 3
  ralph stories run --sandbox                            # Docker, or an error
  ralph stories run --sandbox=os --allow-host example.com
  ralph stories run --dry-run                            # what would run, and what it could do`;
function withRun(command) {
  return addSandboxFlags(command, "force direct mode with the plugin's guard").option("-n, --max-iterations <n>", "max loop iterations", positiveInteger2, 15).option("-m, --model <model>", "model to use, such as opus or sonnet").option("--skip-review", "no fresh-context reviews: implementation iterations set passes=true directly").option(
    "--review-cap <n>",
    "max fresh-context reviews per story; then it is auto-approved with notes",
    positiveInteger2,
    5
  ).option("--no-verify", "do not run verifyCommands: believe the agents that they are green").option("--verify-timeout <duration>", "how long one of verifyCommands may take (default: 30m)", duration3).option("--agent <command>", "the agent", DEFAULT_AGENT).option("--review-agent <command>", "another agent for reviews").option("--review-model <model>", "another model for reviews").option(
    "--failure-backoff <duration>",
    "the pause after a failed iteration, doubled each time (default: 1s)",
    duration3
  ).option(
    "--stuck-after <n>",
    "end the loop after n iterations in a row without a commit (default: warn)",
    positiveInteger2
  ).option("--dry-run", "show the first iteration, its command line and what its sandbox allows; start nothing");
}
async function told2(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const mask = (await Promise.resolve().then(() => (init_environment(), environment_exports))).ownMask();
    const { hint, exitCode } = error.advice;
    const what = error.code === "INITIALIZED" ? "Warning" : "Error";
    const { printable: printable2 } = await Promise.resolve().then(() => (init_printable(), printable_exports));
    process.stderr.write(printable2(mask(`${what}: ${error.message}
${hint === void 0 ? "" : `hint: ${hint}
`}`)));
    return exitCode;
  }
}
function positiveInteger2(text2) {
  const number2 = Number(text2);
  if (!Number.isSafeInteger(number2) || number2 < 1) throw new InvalidArgumentError("It must be a positive integer.");
  return number2;
}
function duration3(text2) {
  const ms = parseDuration(text2);
  if (ms === null) throw new InvalidArgumentError("It must be a duration such as 500ms, 1s or 2m.");
  return ms;
}

// src/cli/stories/bundled.ts
async function main() {
  const program2 = new Command("ralph").version(version, "-v, --version").showHelpAfterError().exitOverride();
  const stories = program2.command("stories").description("Stories with a fresh-context review of each.");
  const exitWith = async (code) => {
    process.exitCode = await code;
  };
  addStories(stories, exitWith, { release: version, here: __dirname, self: null });
  process.stdout.on("error", readerGone);
  process.stderr.on("error", readerGone);
  try {
    await program2.parseAsync(["stories", ...process.argv.slice(2)], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else throw error;
  }
}
function readerGone() {
}
void main();
