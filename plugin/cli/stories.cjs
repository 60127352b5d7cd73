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

// ../main/node_modules/commander/lib/error.js
var require_error = __commonJS({
  "../main/node_modules/commander/lib/error.js"(exports2) {
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

// ../main/node_modules/commander/lib/argument.js
var require_argument = __commonJS({
  "../main/node_modules/commander/lib/argument.js"(exports2) {
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

// ../main/node_modules/commander/lib/help.js
var require_help = __commonJS({
  "../main/node_modules/commander/lib/help.js"(exports2) {
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
          const group = getGroup(item);
          if (!result.has(group)) result.set(group, []);
        });
        visibleItems.forEach((item) => {
          const group = getGroup(item);
          if (!result.has(group)) {
            result.set(group, []);
          }
          result.get(group).push(item);
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
        optionGroups.forEach((options, group) => {
          const optionList = options.map((option) => {
            return callFormatItem(
              helper.styleOptionTerm(helper.optionTerm(option)),
              helper.styleOptionDescription(helper.optionDescription(option))
            );
          });
          output = output.concat(this.formatItemList(group, optionList, helper));
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
        commandGroups.forEach((commands, group) => {
          const commandList = commands.map((sub) => {
            return callFormatItem(
              helper.styleSubcommandTerm(helper.subcommandTerm(sub)),
              helper.styleSubcommandDescription(helper.subcommandDescription(sub))
            );
          });
          output = output.concat(this.formatItemList(group, commandList, helper));
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

// ../main/node_modules/commander/lib/option.js
var require_option = __commonJS({
  "../main/node_modules/commander/lib/option.js"(exports2) {
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
      hideHelp(hide = true) {
        this.hidden = !!hide;
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

// ../main/node_modules/commander/lib/suggestSimilar.js
var require_suggestSimilar = __commonJS({
  "../main/node_modules/commander/lib/suggestSimilar.js"(exports2) {
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
    function suggestSimilar(word, candidates) {
      if (!candidates || candidates.length === 0) return "";
      candidates = Array.from(new Set(candidates));
      const searchingOptions = word.startsWith("--");
      if (searchingOptions) {
        word = word.slice(2);
        candidates = candidates.map((candidate) => candidate.slice(2));
      }
      let similar = [];
      let bestDistance = maxDistance;
      const minSimilarity = 0.4;
      candidates.forEach((candidate) => {
        if (candidate.length <= 1) return;
        const distance = editDistance(word, candidate);
        const length = Math.max(word.length, candidate.length);
        const similarity = (length - distance) / length;
        if (similarity > minSimilarity) {
          if (distance < bestDistance) {
            bestDistance = distance;
            similar = [candidate];
          } else if (distance === bestDistance) {
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

// ../main/node_modules/commander/lib/command.js
var require_command = __commonJS({
  "../main/node_modules/commander/lib/command.js"(exports2) {
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
      _optionEx(config, flags, description, fn, defaultValue) {
        if (typeof flags === "object" && flags instanceof Option2) {
          throw new Error(
            "To add an Option object use addOption() instead of option() or requiredOption()"
          );
        }
        const option = this.createOption(flags, description);
        option.makeOptionMandatory(!!config.mandatory);
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
        const parsed = this.parseOptions(unknown);
        this._parseOptionsEnv();
        this._parseOptionsImplied();
        operands = operands.concat(parsed.operands);
        unknown = parsed.unknown;
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
        this._outputHelpIfRequested(parsed.unknown);
        this._checkForMissingMandatoryOptions();
        this._checkForConflictingOptions();
        const checkForUnknownOptions = () => {
          if (parsed.unknown.length > 0) {
            this.unknownOption(parsed.unknown[0]);
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
        const config = errorOptions || {};
        const exitCode = config.exitCode || 1;
        const code = config.code || "commander.error";
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
      unknownOption(flag) {
        if (this._allowUnknownOption) return;
        let suggestion = "";
        if (flag.startsWith("--") && this._showSuggestionAfterError) {
          let candidateFlags = [];
          let command = this;
          do {
            const moreFlags = command.createHelp().visibleOptions(command).filter((option) => option.long).map((option) => option.long);
            candidateFlags = candidateFlags.concat(moreFlags);
            command = command.parent;
          } while (command && !command._enablePositionalOptions);
          suggestion = suggestSimilar(flag, candidateFlags);
        }
        const message = `error: unknown option '${flag}'${suggestion}`;
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
        const expected = this.registeredArguments.length;
        const s = expected === 1 ? "" : "s";
        const forSubcommand = this.parent ? ` for '${this.name()}'` : "";
        const message = `error: too many arguments${forSubcommand}. Expected ${expected} argument${s} but got ${receivedArgs.length}.`;
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
        const text = helper.formatHelp(this, helper);
        if (context.hasColors) return text;
        return this._outputConfiguration.stripColor(text);
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
      addHelpText(position, text) {
        const allowedValues = ["beforeAll", "before", "after", "afterAll"];
        if (!allowedValues.includes(position)) {
          throw new Error(`Unexpected value for position to addHelpText.
Expecting one of '${allowedValues.join("', '")}'`);
        }
        const helpEvent = `${position}Help`;
        this.on(helpEvent, (context) => {
          let helpStr;
          if (typeof text === "function") {
            helpStr = text({ error: context.error, command: context.command });
          } else {
            helpStr = text;
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

// ../main/node_modules/commander/index.js
var require_commander = __commonJS({
  "../main/node_modules/commander/index.js"(exports2) {
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

// src/core/duration.ts
function parseDuration(text) {
  if (!WHOLE.test(text)) return null;
  const parts = [...text.matchAll(PART)];
  const total = parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ""] ?? 0), 0);
  return Math.round(total) || null;
}
function formatDuration(ms) {
  if (ms > 0 && ms < 1e3) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1e3);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds % 3600 / 60), seconds % 60];
  const parts = [hours > 0 ? `${hours}h` : "", minutes > 0 ? `${minutes}m` : "", rest > 0 ? `${rest}s` : ""];
  return parts.join("") || "0s";
}
var UNITS, WHOLE, PART, FINE_UNITS;
var init_duration = __esm({
  "src/core/duration.ts"() {
    "use strict";
    UNITS = { ms: 1, s: 1e3, m: 6e4, h: 36e5 };
    WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
    PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
    FINE_UNITS = { ...UNITS, us: 1e-3, µs: 1e-3, ns: 1e-6 };
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

// src/core/literal.ts
function literally(text) {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
var init_literal = __esm({
  "src/core/literal.ts"() {
    "use strict";
  }
});

// src/core/mask.ts
function maskFor(environment) {
  const values = Object.entries(environment).filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET).flatMap(([, value]) => [value ?? "", JSON.stringify(value).slice(1, -1)]).sort((a, b) => b.length - a.length).map(literally);
  const secret = new RegExp([...values, ...FORMS].join("|"), "g");
  return (text) => {
    const masked2 = text.replaceAll(secret, HIDDEN);
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
  return (text) => {
    const masked2 = mask(text);
    if (isInside2) {
      const end2 = KEY_ENDS.exec(masked2);
      if (end2 === null) return null;
      isInside2 = false;
      return masked2.slice(end2.index + end2[0].length);
    }
    const begin2 = KEY_BEGINS.exec(masked2);
    if (begin2 === null) return masked2;
    isInside2 = true;
    return `${masked2.slice(0, begin2.index)}${HIDDEN}`;
  };
}
var HIDDEN, FORMS, VALUE, NAME, NAMED, MAY_BE_NAMED, SECRET_NAME, SHORTEST_SECRET, KEY_BEGINS, KEY_ENDS;
var init_mask = __esm({
  "src/core/mask.ts"() {
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
var RECORD_VERSION;
var init_record = __esm({
  "src/core/record.ts"() {
    "use strict";
    RECORD_VERSION = 1;
  }
});

// src/core/state.ts
function isOver(state) {
  return state.phase.at === "over";
}
var init_state = __esm({
  "src/core/state.ts"() {
    "use strict";
  }
});

// src/state/paths.ts
function stateRoot(environment) {
  const given = environment.XDG_STATE_HOME ?? "";
  const base = (0, import_node_path.isAbsolute)(given) ? given : (0, import_node_path.join)(environment.HOME || "/", ".local", "state");
  return { path: (0, import_node_path.join)(base, "ralph") };
}
function loopsFolder(root) {
  return (0, import_node_path.join)(root.path, "loops");
}
function loopFolder(root, id) {
  return (0, import_node_path.join)(loopsFolder(root), id);
}
function journalPath(loop) {
  return (0, import_node_path.join)(loop, "journal.jsonl");
}
function statusPath(loop) {
  return (0, import_node_path.join)(loop, "status.json");
}
var import_node_path;
var init_paths = __esm({
  "src/state/paths.ts"() {
    "use strict";
    import_node_path = require("node:path");
  }
});

// src/state/projection.ts
function writeProjection(path, content) {
  const next2 = `${path}.next`;
  writeAnew(next2, content, 384);
  (0, import_node_fs.renameSync)(next2, path);
}
function writeAnew(path, content, mode) {
  try {
    (0, import_node_fs.writeFileSync)(path, content, { mode, flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    (0, import_node_fs.rmSync)(path, { force: true });
    (0, import_node_fs.writeFileSync)(path, content, { mode, flag: "wx" });
  }
}
var import_node_fs;
var init_projection = __esm({
  "src/state/projection.ts"() {
    "use strict";
    import_node_fs = require("node:fs");
    init_error();
  }
});

// src/state/status.ts
function statusOf(state, createdAt) {
  const { id, door, cwd, iteration, phase } = state;
  const ending = isOver(state) ? state.phase.ending : null;
  return { v: 1, id, door, cwd, createdAt, updatedAt: state.at, iteration, phase: phase.at, ending };
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
function backoff(failuresInARow, unit = 1e3) {
  return Math.min(2 ** (failuresInARow - 1), LONGEST_SECONDS) * unit;
}
var LONGEST_SECONDS, FAILURES_THAT_END_A_LOOP;
var init_backoff = __esm({
  "src/core/backoff.ts"() {
    "use strict";
    LONGEST_SECONDS = 300;
    FAILURES_THAT_END_A_LOOP = 5;
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
function addRun(usage, ran) {
  const { costUsd, inputTokens, outputTokens } = ran?.account ?? {};
  const tellsTokens = inputTokens !== void 0 && outputTokens !== void 0;
  return {
    runs: usage.runs + 1,
    costUsd: usage.costUsd + (costUsd ?? 0),
    runsWithoutCost: usage.runsWithoutCost + (costUsd === void 0 ? 1 : 0),
    inputTokens: usage.inputTokens + (tellsTokens ? inputTokens : 0),
    outputTokens: usage.outputTokens + (tellsTokens ? outputTokens : 0),
    runsWithoutTokens: usage.runsWithoutTokens + (tellsTokens ? 0 : 1),
    toolCalls: usage.toolCalls + (ran?.toolCalls ?? 0),
    ...withRefusals(usage, ran?.refusals ?? 0)
  };
}
function addRefusals(usage, refusals) {
  return { ...usage, ...withRefusals(usage, refusals) };
}
function withRefusals(usage, more) {
  const refusals = (usage.refusals ?? 0) + more;
  return refusals === 0 ? {} : { refusals };
}
function describeUsage(usage) {
  const { runs, costUsd, runsWithoutCost, inputTokens, outputTokens, runsWithoutTokens, toolCalls } = usage;
  const parts = [plural(runs, "run")];
  const tellsCost = runsWithoutCost < runs;
  const tellsTokens = runsWithoutTokens < runs;
  if (tellsCost) parts.push(dollars(costUsd));
  if (tellsTokens) parts.push(`${shortCount(inputTokens)} tokens in / ${shortCount(outputTokens)} out`);
  if (toolCalls > 0) parts.push(plural(toolCalls, "tool call"));
  if (usage.refusals !== void 0) parts.push(`${plural(usage.refusals, "refusal")} by the sandbox`);
  if (!tellsCost) parts.push("cost unknown");
  else if (runsWithoutCost > 0) parts.push(`${plural(runsWithoutCost, "run")} of unknown cost`);
  return parts.join(", ");
}
function dollars(amount) {
  return amount > 0 && amount < 0.095 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`;
}
function shortCount(count) {
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)}M`;
  if (count >= 1e3) return `${Math.round(count / 1e3)}K`;
  return String(count);
}
function plural(count, what) {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
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

// src/core/crank.ts
function crank(rules) {
  return {
    rules,
    begin: (first) => begin(rules, first),
    next: (state) => next(rules, state),
    apply: (state, record) => apply(rules, state, record)
  };
}
function fold({ begin: begin2, apply: apply2 }, records) {
  const [first, ...rest] = records;
  if (first === void 0) throw new Error("a journal without a first record has no state");
  return rest.reduce(apply2, begin2(first));
}
function begin(rules, first) {
  refuseNewer(first);
  const created = first.result;
  if (created.kind !== "created") throw new Error(`the first record is "${created.kind}", not "created"`);
  return {
    id: created.id,
    door: created.door,
    cwd: created.cwd,
    seq: first.seq,
    at: first.at,
    iteration: 1,
    tries: { work: 1 },
    phase: { at: "inputs" },
    failuresInARow: 0,
    failures: 0,
    faultsInARow: 0,
    usage: NO_USAGE,
    knownInputs: null,
    data: rules.begin(created)
  };
}
function next(rules, state) {
  const { phase, iteration } = state;
  switch (phase.at) {
    case "inputs":
      return { do: "read-inputs", key: `${iteration}/inputs/${tryOf(state, "work")}`, known: state.knownInputs };
    case "start": {
      const run = runOf(state, phase.purpose);
      const agent = rules.agent(state, phase.purpose);
      return { do: "start", key: `${runName(run)}/start`, run, agent, prompt: rules.prompt(state, phase.purpose) };
    }
    case "await": {
      const run = runOf(state, phase.purpose);
      const listen = rules.listen(state, phase.purpose);
      const agent = rules.agent(state, phase.purpose);
      return {
        do: "await",
        key: `${runName(run)}/await`,
        run,
        agent,
        handle: phase.handle,
        listen,
        timeoutMs: rules.timeout(state, phase.purpose),
        ...idleOf(rules, state),
        ...rules.screen === void 0 ? {} : { screen: rules.screen(state) }
      };
    }
    case "check":
      return { do: "check", key: `${iteration}/check/${phase.index}`, check: rules.check(state, phase.index) };
    case "publish":
      return { do: "publish", key: `${iteration}/publish/${phase.index}`, what: rules.publish(state, phase.index) };
    case "step": {
      const { given, outward: outward2 } = ruleOf(rules, "step")(state, phase.what);
      const key = `${iteration}/${phase.what}/${tryOf(state, "work")}`;
      return { do: "step", key, what: phase.what, given, outward: outward2 };
    }
    case "wait":
      return { do: "wait", key: waitKey(state, phase.then), until: phase.until };
    case "end":
    case "over":
      return { do: "end", key: "end", ending: phase.ending };
  }
}
function apply(rules, before, record) {
  refuseNewer(record);
  const state = { ...before, seq: record.seq, at: record.at };
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
    case "ran":
      expectPhase(phase, "await", result);
      return afterRun(rules, { ...state, usage: addRun(state.usage, result) }, phase.purpose, result);
    case "checked":
      expectPhase(phase, "check", result);
      return take(
        rules,
        { ...state, usage: addRefusals(state.usage, result.refused?.length ?? 0) },
        rules.afterCheck(state, result)
      );
    case "published":
      expectPhase(phase, "publish", result);
      return take(rules, state, rules.afterPublish(state, result));
    case "stepped":
      expectPhase(phase, "step", result);
      return take(rules, state, ruleOf(rules, "afterStep")(state, phase.what, result.gave));
    case "waited":
      expectPhase(phase, "wait", result);
      return afterWait(state, phase, result.command);
    case "interrupted":
      return afterInterruption(phase.at === "await" ? { ...state, usage: addRun(state.usage, null) } : state);
    case "unstartable": {
      expectPhase(phase, "start", result);
      const { reason, hint } = result;
      return end(state, { kind: "configuration", reason, ...hint === void 0 ? {} : { hint } });
    }
    case "ended":
      if (result.ending.kind !== "stopped") expectPhase(phase, "end", result);
      return { ...state, phase: { at: "over", ending: result.ending } };
    case "created":
      throw new Error(`record ${record.seq} begins the loop a second time`);
  }
}
function afterRun(rules, state, purpose, ran) {
  const { outcome } = ran;
  if (outcome.kind === "interrupted") return afterInterruption(state);
  if (rules.afterEveryRun !== void 0 && purpose === "work") {
    const isGood = outcome.kind === "worked";
    const counted3 = rules.countsLater ? state : isGood ? { ...state, failuresInARow: 0 } : withFailure(state);
    return take(rules, counted3, rules.afterEveryRun(counted3, ran));
  }
  return asUsual(rules, state, purpose, ran);
}
function asUsual(rules, state, purpose, ran) {
  const { outcome } = ran;
  const fault = endingOfFault(outcome);
  if (fault !== null) return end(state, fault);
  if (purpose !== "work") return take(rules, state, rules.afterRun(state, purpose, ran));
  switch (outcome.kind) {
    case "worked":
      return take(rules, { ...state, failuresInARow: 0, faultsInARow: 0 }, rules.afterRun(state, purpose, ran));
    case "failed": {
      const failed3 = withFailure(state);
      const { failuresInARow } = failed3;
      if (failuresInARow >= FAILURES_THAT_END_A_LOOP) {
        return end(failed3, { kind: "kept-failing", failures: failuresInARow });
      }
      const until = state.at + backoff(failuresInARow, rules.backoffUnit(state.data));
      return go(rules, failed3, { to: "next-iteration" }, until);
    }
    default: {
      const faultsInARow = state.faultsInARow + 1;
      const reason = outcome.kind === "infrastructure" ? outcome.reason : `${outcome.kind}: ${outcome.reason}`;
      if (faultsInARow >= FAILURES_THAT_END_A_LOOP) return end(state, { kind: "infrastructure", reason });
      const until = state.at + backoff(faultsInARow, rules.backoffUnit(state.data));
      return { ...nextTry(state, "work"), faultsInARow, phase: { at: "wait", until, then: "same-iteration" } };
    }
  }
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
function afterWait(state, wait, command) {
  if (command === "stop") return end(state, { kind: "stopped" });
  if (command === "pause") return { ...state, phase: { ...wait, until: "command" } };
  const inputs = { ...state, phase: { at: "inputs" } };
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
function take(rules, state, step2) {
  const rest = rules.rest?.(step2.data) ?? 0;
  return go(rules, { ...state, data: step2.data }, step2.go, rest > 0 ? state.at + rest : "now");
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
    case "as-usual":
      return asUsual(rules, state, "work", to.ran);
    case "end":
      return end(state, to.ending);
  }
}
function end(state, ending) {
  return { ...state, phase: { at: "end", ending } };
}
function withFailure(state) {
  return { ...state, failuresInARow: state.failuresInARow + 1, failures: state.failures + 1 };
}
function idleOf(rules, state) {
  const idleMs = rules.idle?.(state) ?? null;
  return idleMs === null ? {} : { idleMs };
}
function ruleOf(rules, name) {
  const rule = rules[name];
  if (rule === void 0) throw new Error(`the door "${rules.door}" has no steps of its own`);
  return rule;
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
var init_crank = __esm({
  "src/core/crank.ts"() {
    "use strict";
    init_backoff();
    init_error();
    init_keys();
    init_record();
    init_tries();
    init_usage();
  }
});

// src/state/folders.ts
function makePrivateFolder(path) {
  (0, import_node_fs2.mkdirSync)(path, { recursive: true, mode: 448 });
}
function syncFolder(path) {
  const folder = (0, import_node_fs2.openSync)(path, "r");
  try {
    (0, import_node_fs2.fsyncSync)(folder);
  } finally {
    (0, import_node_fs2.closeSync)(folder);
  }
}
var import_node_fs2;
var init_folders = __esm({
  "src/state/folders.ts"() {
    "use strict";
    import_node_fs2 = require("node:fs");
  }
});

// src/state/journal.ts
function createJournal(path, first, mask) {
  const fd = (0, import_node_fs3.openSync)(path, "ax", 384);
  const journal = journalOn(fd, path, mask);
  journal.append(first);
  journal.syncNow();
  return journal;
}
function openJournal(path, mask) {
  const { records, wholeBytes, torn } = readJournal(path);
  const fd = (0, import_node_fs3.openSync)(path, "r+");
  if (torn !== null) {
    (0, import_node_fs3.writeFileSync)(`${path}.torn-${wholeBytes}`, torn, { mode: 384 });
    (0, import_node_fs3.ftruncateSync)(fd, wholeBytes);
  }
  (0, import_node_fs3.closeSync)(fd);
  return { journal: journalOn((0, import_node_fs3.openSync)(path, "a"), path, mask), records };
}
function readJournal(path) {
  return parseJournal((0, import_node_fs3.readFileSync)(path), path);
}
function parseJournal(bytes, path) {
  const records = [];
  let wholeBytes = 0;
  for (let end2 = bytes.indexOf(LF); end2 >= 0; end2 = bytes.indexOf(LF, wholeBytes)) {
    const record = parseRecord(bytes.toString("utf8", wholeBytes, end2), records.length);
    if (record === null) {
      if (holdsRecordAfter(bytes, end2 + 1)) throw damaged(path, records.length + 1);
      break;
    }
    records.push(record);
    wholeBytes = end2 + 1;
  }
  return { records, wholeBytes, torn: wholeBytes === bytes.length ? null : bytes.subarray(wholeBytes) };
}
function journalOn(fd, path, mask) {
  const syncData = (0, import_node_util.promisify)(import_node_fs3.fdatasync);
  return {
    append(record) {
      const line = Buffer.from(`${lineOf(record, mask)}
`);
      let written = 0;
      try {
        written = (0, import_node_fs3.writeSync)(fd, line);
        if (written < line.length) throw new Error(`only ${written} of ${line.length} bytes were written`);
      } catch (error) {
        throw new RalphError(
          "JOURNAL",
          `cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
          {
            hint: errnoOf(error) === "ENOSPC" || written > 0 ? "Make room on the disk, then: ralph resume" : "Then: ralph resume",
            exitCode: 2
          }
        );
      }
    },
    sync: () => syncData(fd),
    syncNow() {
      (0, import_node_fs3.fsyncSync)(fd);
      syncFolder((0, import_node_path2.dirname)(path));
    },
    close: () => (0, import_node_fs3.closeSync)(fd)
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
    return record.seq === seq && typeof record.v === "number" && typeof record.result?.kind === "string" ? record : null;
  } catch {
    return null;
  }
}
function holdsRecordAfter(bytes, from) {
  return bytes.toString("utf8", from).split("\n").some((line) => line.startsWith('{"v":') && line.endsWith("}"));
}
function damaged(path, line) {
  return new RalphError("JOURNAL_DAMAGED", `${path} is damaged at line ${line}`, {
    hint: "It was not cut off by a crash but changed. Restore it from a copy, or start a new loop.",
    exitCode: 2
  });
}
var import_node_fs3, import_node_path2, import_node_util, LF;
var init_journal = __esm({
  "src/state/journal.ts"() {
    "use strict";
    import_node_fs3 = require("node:fs");
    import_node_path2 = require("node:path");
    import_node_util = require("node:util");
    init_error();
    init_mask();
    init_folders();
    LF = 10;
  }
});

// src/process/identity-darwin.ts
var identity_darwin_exports = {};
__export(identity_darwin_exports, {
  bootedAt: () => bootedAt,
  instantOf: () => instantOf,
  startTimeOf: () => startTimeOf,
  thisPlace: () => thisPlace
});
function thisPlace() {
  return { machine: (0, import_node_os.hostname)(), boot: ask("sysctl", ["-n", "kern.boottime"]) ?? "unknown", pidNamespace: "host" };
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
  const { execFileSync: execFileSync2 } = process.getBuiltinModule("node:child_process");
  try {
    return execFileSync2(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}
var import_node_os;
var init_identity_darwin = __esm({
  "src/process/identity-darwin.ts"() {
    "use strict";
    import_node_os = require("node:os");
  }
});

// src/process/identity-linux.ts
var identity_linux_exports = {};
__export(identity_linux_exports, {
  bootedAt: () => bootedAt2,
  instantOf: () => instantOf2,
  readGone: () => readGone,
  readRow: () => readRow,
  startTimeOf: () => startTimeOf2,
  thisPlace: () => thisPlace2
});
function thisPlace2() {
  return {
    machine: readFirstLine("/etc/machine-id") ?? (0, import_node_os2.hostname)(),
    boot: readFirstLine("/proc/sys/kernel/random/boot_id") ?? "unknown",
    pidNamespace: (0, import_node_fs4.readlinkSync)("/proc/self/ns/pid")
  };
}
function startTimeOf2(pid) {
  const row = readRow(pid);
  return row === null || row.isDead ? null : row.startTime;
}
function instantOf2(startTime) {
  const own = readRow(process.pid)?.startTime ?? startTime;
  return performance.timeOrigin + (Number(startTime) - Number(own)) * TICK_MS;
}
function bootedAt2() {
  return instantOf2("0");
}
function readRow(pid) {
  const text = readGone(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === void 0 || startTime === void 0) return null;
  return { pid, parent: Number(parent), group: Number(group), startTime, isDead: state === "Z" || state === "X" };
}
function readGone(path) {
  try {
    return (0, import_node_fs4.readFileSync)(path, "latin1");
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
var import_node_fs4, import_node_os2, TICK_MS;
var init_identity_linux = __esm({
  "src/process/identity-linux.ts"() {
    "use strict";
    import_node_fs4 = require("node:fs");
    import_node_os2 = require("node:os");
    init_error();
    TICK_MS = 10;
  }
});

// src/process/identity.ts
function thisPlace3() {
  return platform.thisPlace();
}
function identify(pid, place) {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, boot: place.boot };
}
function isRunning(identity2, place) {
  return identity2.boot === place.boot && platform.startTimeOf(identity2.pid) === identity2.startTime;
}
var platform;
var init_identity = __esm({
  "src/process/identity.ts"() {
    "use strict";
    init_identity_darwin();
    init_identity_linux();
    platform = process.platform === "darwin" ? identity_darwin_exports : identity_linux_exports;
  }
});

// src/state/lock.ts
function tryLock(folder, purpose, place) {
  const self = identify(process.pid, place);
  if (self === null) throw new Error("this process does not find itself");
  makePrivateFolder(folder);
  const mine = `holder-${String(process.hrtime.bigint()).padStart(20, "0")}-${process.pid}.json`;
  const path = (0, import_node_path3.join)(folder, mine);
  const holder = { v: 1, ...self, place, purpose };
  (0, import_node_fs5.writeFileSync)((0, import_node_path3.join)(folder, `.${mine}`), `${JSON.stringify(holder)}
`, { mode: 384 });
  (0, import_node_fs5.renameSync)((0, import_node_path3.join)(folder, `.${mine}`), path);
  for (let look = 1; ; look++) {
    const other = otherHolder(folder, mine, place);
    if (other === null) return { got: true, lock: { release: () => removeOwn(path) } };
    if ((0, import_node_path3.basename)(other.file) < mine || look === LOOKS) {
      (0, import_node_fs5.rmSync)(path, { force: true });
      return other;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_LOOKS_MS);
  }
}
function removeOwn(path) {
  try {
    (0, import_node_fs5.unlinkSync)(path);
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
  for (const name of (0, import_node_fs5.readdirSync)(folder).sort()) {
    if (name === mine || !name.startsWith("holder-")) continue;
    const file = (0, import_node_path3.join)(folder, name);
    const holder = readHolder(file);
    if (holder === null) continue;
    const rebooted = holder.place.machine === place.machine && holder.place.boot !== place.boot;
    const foreign = holder.place.machine !== place.machine || !rebooted && holder.place.pidNamespace !== place.pidNamespace;
    if (foreign || isRunning(holder, place)) return { got: false, holder, foreign, file };
    (0, import_node_fs5.rmSync)(file, { force: true });
  }
  return null;
}
function readHolder(file) {
  let text;
  try {
    text = (0, import_node_fs5.readFileSync)(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    (0, import_node_fs5.rmSync)(file, { force: true });
    return null;
  }
}
var import_node_fs5, import_node_path3, LOOKS, BETWEEN_LOOKS_MS;
var init_lock = __esm({
  "src/state/lock.ts"() {
    "use strict";
    import_node_fs5 = require("node:fs");
    import_node_path3 = require("node:path");
    init_error();
    init_identity();
    init_folders();
    LOOKS = 25;
    BETWEEN_LOOKS_MS = 2;
  }
});

// src/state/request.ts
function keepRequest(loop, { options }, mask) {
  const text = JSON.stringify(options);
  if (JSON.stringify(maskData(options, mask)) !== text) (0, import_node_fs6.writeFileSync)((0, import_node_path4.join)(loop, REQUEST_FILE), text, { mode: 384 });
}
function withRequest(records, loop) {
  const [first, ...rest] = records;
  const path = (0, import_node_path4.join)(loop, REQUEST_FILE);
  if (first?.masked !== true || first.result.kind !== "created" || !(0, import_node_fs6.existsSync)(path)) return [...records];
  const options = JSON.parse((0, import_node_fs6.readFileSync)(path, "utf8"));
  return [{ ...first, result: { ...first.result, options } }, ...rest];
}
var import_node_fs6, import_node_path4, REQUEST_FILE;
var init_request = __esm({
  "src/state/request.ts"() {
    "use strict";
    import_node_fs6 = require("node:fs");
    import_node_path4 = require("node:path");
    init_mask();
    REQUEST_FILE = "request.json";
  }
});

// src/core/digest.ts
function digestOf(text) {
  let high = 3735928559;
  let low = 1103547991;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ high >>> 16, 2246822507) ^ Math.imul(low ^ low >>> 13, 3266489909);
  low = Math.imul(low ^ low >>> 16, 2246822507) ^ Math.imul(high ^ high >>> 13, 3266489909);
  return (2 ** 32 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, "0");
}
var init_digest = __esm({
  "src/core/digest.ts"() {
    "use strict";
  }
});

// src/state/work-tree-lock.ts
function workTreeLock(root, cwd) {
  return (0, import_node_path5.join)(root.path, "locks", digestOf(cwd));
}
var import_node_path5;
var init_work_tree_lock = __esm({
  "src/state/work-tree-lock.ts"() {
    "use strict";
    import_node_path5 = require("node:path");
    init_digest();
  }
});

// src/engine/loop.ts
function createLoop(crank2, created, at, home) {
  const { root, mask } = home;
  const lock = lockFor(home, created.cwd, created.id);
  const folder = loopFolder(root, created.id);
  makePrivateFolder(folder);
  syncFolder(loopsFolder(root));
  const first = {
    v: RECORD_VERSION,
    seq: 0,
    at,
    key: "created",
    attempt: 1,
    result: { kind: "created", ...created }
  };
  keepRequest(folder, created, mask);
  const journal = createJournal(journalPath(folder), first, mask);
  const state = crank2.begin(first);
  writeStatus(folder, statusOf(state, at));
  return { folder, createdAt: at, journal, state, close: closing(journal, lock) };
}
function reopenLoop(crank2, id, cwd, home, readInputs) {
  const { root, mask } = home;
  const lock = lockFor(home, cwd, id);
  const folder = loopFolder(root, id);
  const { journal, records } = openJournal(journalPath(folder), mask);
  const [first] = records;
  if (first === void 0) {
    throw new RalphError("LOOP_EMPTY", `loop ${id} was cut off before it began`, {
      hint: "Start it anew: ralph run",
      exitCode: 2
    });
  }
  const state = fold(crank2, withWholeInputs(withRequest(records, folder), readInputs));
  writeStatus(folder, statusOf(state, first.at));
  return { folder, createdAt: first.at, journal, state, close: closing(journal, lock) };
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
    init_crank();
    init_error();
    init_record();
    init_folders();
    init_journal();
    init_lock();
    init_paths();
    init_request();
    init_status();
    init_work_tree_lock();
  }
});

// src/process/cgroup.ts
function findCgroupHome(choose = (own) => own) {
  const mount = unifiedMount();
  const own = ownPath();
  if (mount === null || own === null) return null;
  const path = (0, import_node_path6.join)(mount, choose(own));
  const probe = (0, import_node_path6.join)(path, `ralph-probe-${process.pid}`);
  removeQuietly(probe);
  try {
    (0, import_node_fs7.mkdirSync)(probe);
    (0, import_node_fs7.readFileSync)((0, import_node_path6.join)(probe, "cgroup.events"));
    (0, import_node_fs7.writeFileSync)((0, import_node_path6.join)(probe, "cgroup.kill"), "1");
    const home = { path, procs: (0, import_node_fs7.openSync)((0, import_node_path6.join)(mount, own, "cgroup.procs"), "w") };
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
  return (0, import_node_path6.join)(home.path, `ralph-${mark2.replaceAll(/[^\w.-]/g, "-")}`);
}
function makeLeaf(leaf) {
  (0, import_node_fs7.mkdirSync)(leaf);
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
    (0, import_node_fs7.rmdirSync)(leaf);
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
  return (0, import_node_fs7.readdirSync)(leaf, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => (0, import_node_path6.join)(leaf, entry.name));
}
function membersOf(leaf) {
  try {
    return (0, import_node_fs7.readFileSync)((0, import_node_path6.join)(leaf, "cgroup.procs"), "latin1").split("\n").filter(Boolean).map(Number);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENODEV") return [];
    throw error;
  }
}
function killLeaf(leaf) {
  if (membersOf(leaf).includes(process.pid))
    throw new Error(`refusing to end the cgroup ${leaf}: this process is in it`);
  try {
    (0, import_node_fs7.writeFileSync)((0, import_node_path6.join)(leaf, "cgroup.kill"), "1");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "ENODEV") throw error;
  }
}
function enter(path) {
  const procs = (0, import_node_fs7.openSync)((0, import_node_path6.join)(path, "cgroup.procs"), "w");
  try {
    (0, import_node_fs7.writeSync)(procs, "0");
  } finally {
    (0, import_node_fs7.closeSync)(procs);
  }
}
function goHome({ procs }) {
  (0, import_node_fs7.writeSync)(procs, "0");
}
function unifiedMount() {
  for (const line of (0, import_node_fs7.readFileSync)("/proc/self/mountinfo", "utf8").split("\n")) {
    const [before, after] = line.split(" - ");
    if (after?.startsWith("cgroup2 ")) return before?.split(" ")[4] ?? null;
  }
  return null;
}
function ownPath() {
  const line = (0, import_node_fs7.readFileSync)("/proc/self/cgroup", "utf8").split("\n").find((entry) => entry.startsWith("0::"));
  return line?.slice(3) ?? null;
}
function removeQuietly(path) {
  try {
    (0, import_node_fs7.rmdirSync)(path);
  } catch {
  }
}
var import_node_fs7, import_node_path6;
var init_cgroup = __esm({
  "src/process/cgroup.ts"() {
    "use strict";
    import_node_fs7 = require("node:fs");
    import_node_path6 = require("node:path");
    init_error();
  }
});

// src/process/process-table-darwin.ts
var process_table_darwin_exports = {};
__export(process_table_darwin_exports, {
  marksOf: () => marksOf,
  readTable: () => readTable
});
function readTable() {
  const text = (0, import_node_child_process.execFileSync)("ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], { encoding: "utf8" });
  return text.split("\n").map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)).filter((match) => match !== null).map(([, pid, parent, group, state, startTime]) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    startTime: startTime?.trim() ?? "",
    isDead: state?.startsWith("Z") ?? false
  }));
}
function marksOf(_pid) {
  return null;
}
var import_node_child_process;
var init_process_table_darwin = __esm({
  "src/process/process-table-darwin.ts"() {
    "use strict";
    import_node_child_process = require("node:child_process");
  }
});

// src/process/mark.ts
function markedEnvironment(inherited, mark2) {
  return inherited === void 0 ? mark2 : `${inherited} ${mark2}`;
}
var MARK_VARIABLE;
var init_mark = __esm({
  "src/process/mark.ts"() {
    "use strict";
    MARK_VARIABLE = "RALPH_MARK";
  }
});

// src/process/process-table-linux.ts
var process_table_linux_exports = {};
__export(process_table_linux_exports, {
  marksOf: () => marksOf2,
  readTable: () => readTable2
});
function readTable2() {
  const table = [];
  for (const name of (0, import_node_fs8.readdirSync)("/proc")) {
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
var import_node_fs8;
var init_process_table_linux = __esm({
  "src/process/process-table-linux.ts"() {
    "use strict";
    import_node_fs8 = require("node:fs");
    init_identity_linux();
    init_mark();
  }
});

// src/process/process-table.ts
function livingOf(mark2, recorded) {
  const leader = recorded !== null && recorded.boot === thisPlace3().boot ? recorded : null;
  const all = platform2.readTable();
  const first = leader === null ? void 0 : all.find((row) => row.pid === leader.pid);
  const reused = first !== void 0 && leader !== null && first.startTime !== leader.startTime;
  const group = leader === null || reused ? null : leader.pid;
  const carries = (row) => {
    if (leader !== null && Number(row.startTime) < Number(leader.startTime)) return false;
    return platform2.marksOf(row.pid)?.split(" ").includes(mark2) ?? false;
  };
  const ours = new Set(all.filter((row) => row.group === group || row.pid === group || carries(row)));
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
  "src/process/process-table.ts"() {
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
    while (performance.now() < deadline2) {
      if (await run.isGone()) return true;
      await (0, import_promises.setTimeout)(LOOK_EVERY);
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
async function sweep(trace) {
  if (trace.plan.rung === "pid-namespace") return;
  await endRun(trace, 0);
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
      for (const pid of membersOf(leaf)) send(pid, "SIGTERM");
    },
    kill: () => killLeaf(leaf)
  };
}
function knownByTable({ plan, leader }) {
  const place = thisPlace3();
  const seen = /* @__PURE__ */ new Map();
  const look = () => {
    for (const { pid, startTime } of livingOf(plan.mark, leader)) seen.set(pid, { pid, startTime, boot: place.boot });
    for (const [pid, identity2] of seen) if (!isRunning(identity2, place)) seen.delete(pid);
    return [...seen.keys()];
  };
  const signal = (name) => {
    for (const pid of look()) send(pid, name);
  };
  return {
    async isGone() {
      if (look().length > 0) return false;
      await (0, import_promises.setTimeout)(LOOK_EVERY);
      return look().length === 0;
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
var import_promises, LOOK_EVERY, KILL_TAKES_AT_MOST;
var init_end = __esm({
  "src/process/end.ts"() {
    "use strict";
    import_promises = require("node:timers/promises");
    init_error();
    init_cgroup();
    init_identity();
    init_process_table();
    LOOK_EVERY = 5;
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
  (0, import_node_fs9.appendFileSync)((0, import_node_path7.join)(folder, FILE), `
${JSON.stringify(line)}
`, { mode: 384 });
}
function readLines(folder) {
  let text;
  try {
    text = (0, import_node_fs9.readFileSync)((0, import_node_path7.join)(folder, FILE), "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => parseLine(line) ?? []);
}
function parseLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
var import_node_fs9, import_node_path7, FILE;
var init_trace = __esm({
  "src/process/trace.ts"() {
    "use strict";
    import_node_fs9 = require("node:fs");
    import_node_path7 = require("node:path");
    init_error();
    FILE = "processes.jsonl";
  }
});

// src/state/registry.ts
function listLoops(root) {
  return namesIn(loopsFolder(root)).map((id) => readStatus((0, import_node_path8.join)(loopsFolder(root), id))).filter((status) => status !== null).sort((a, b) => a.createdAt - b.createdAt);
}
function readStatus(loop) {
  let text;
  try {
    text = (0, import_node_fs10.readFileSync)(statusPath(loop), "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return null;
    if (errnoOf(error) === "ENOENT") return statusFromJournal(loop);
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    return statusFromJournal(loop);
  }
}
function statusFromJournal(loop) {
  let records;
  try {
    records = readJournal(journalPath(loop)).records;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
  const [first] = records;
  if (first?.result.kind !== "created") return null;
  const { id, door, cwd } = first.result;
  const { at } = first;
  const ended = records.at(-1)?.result;
  return {
    v: 1,
    id,
    door,
    cwd,
    createdAt: at,
    updatedAt: at,
    iteration: 1,
    phase: "inputs",
    ending: ended?.kind === "ended" ? ended.ending : null
  };
}
function namesIn(folder) {
  try {
    return (0, import_node_fs10.readdirSync)(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
var import_node_fs10, import_node_path8;
var init_registry = __esm({
  "src/state/registry.ts"() {
    "use strict";
    import_node_fs10 = require("node:fs");
    import_node_path8 = require("node:path");
    init_error();
    init_journal();
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
function runsFolder(loop) {
  return (0, import_node_path9.join)(loop, "runs");
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
    (0, import_node_fs11.closeSync)((0, import_node_fs11.openSync)((0, import_node_path9.join)(folder, outputFile(name)), "ax", 384));
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
  }
  (0, import_node_fs11.mkdirSync)(folder, { recursive: true, mode: 448 });
  return claim(folder, name);
}
var import_node_fs11, import_node_path9;
var init_run_files = __esm({
  "src/state/run-files.ts"() {
    "use strict";
    import_node_fs11 = require("node:fs");
    import_node_path9 = require("node:path");
    init_error();
  }
});

// src/engine/orphans.ts
async function endOrphans(root, { cwd, door, except }, grace) {
  const others = listLoops(root).filter(
    (loop) => loop.cwd === cwd && (door === void 0 || loop.door === door) && loop.ending === null && loop.id !== except
  );
  for (const { id } of others) {
    const trace = readLastTrace(runsFolder(loopFolder(root, id)));
    if (trace !== null) await endRun(trace, grace);
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
async function endUnfinished(crank2, { id, cwd }, home, reason, { at, grace }) {
  const loop = reopenLoop(crank2, id, cwd, home, () => void 0);
  try {
    await endOrphans(home.root, { cwd, door: loop.state.door, except: "" }, grace);
    const ending = { kind: "stopped", reason };
    const seq = loop.state.seq + 1;
    const record = { v: RECORD_VERSION, seq, at, key: "end", attempt: 1, result: { kind: "ended", ending } };
    const ended = crank2.apply(loop.state, record);
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

// src/core/ending.ts
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
      stopped: 0,
      tampered: 9,
      "usage-limit": 10
    };
    EXIT_INTERRUPTED = 130;
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
    watcher = (0, import_node_fs12.watch)(folder, (_event, name) => tell2(name));
  } catch {
    const timer = setInterval(() => tell2(null), POLL_EVERY_MS);
    return () => clearInterval(timer);
  }
  watcher.on("error", () => tell2(null));
  return () => watcher.close();
}
var import_node_fs12, POLL_EVERY_MS;
var init_folder_watch = __esm({
  "src/process/folder-watch.ts"() {
    "use strict";
    import_node_fs12 = require("node:fs");
    POLL_EVERY_MS = 100;
  }
});

// src/process/follow.ts
function openFollowing(folder, buffer = followBuffer()) {
  return { watch: watchFolder(folder), buffer };
}
function followBuffer() {
  return Buffer.allocUnsafe(CHUNK_BYTES);
}
function follow(folder, files, { watch: watch2, buffer }, ready) {
  const sources = files.map((file) => ({
    ...file,
    fd: openFollowed((0, import_node_path10.join)(folder, file.name)),
    position: file.from ?? 0,
    pending: false
  }));
  let closed = false;
  const read = (source, atMost, isWatched) => {
    for (let total = 0; total < atMost; ) {
      const bytes = (0, import_node_fs13.readSync)(source.fd, buffer, 0, buffer.length, source.position);
      if (bytes === 0) {
        if (source.position === 0 || (0, import_node_fs13.fstatSync)(source.fd).size >= source.position) return true;
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
  const turn2 = (source) => {
    const wait = ready();
    if (wait !== null) {
      void wait.then(() => turn2(source));
      return;
    }
    source.pending = false;
    if (!closed && !read(source, TURN_BYTES, true)) later(source);
  };
  const later = (source) => {
    if (source.pending) return;
    source.pending = true;
    setImmediate(turn2, source);
  };
  const stops = sources.map((source) => watch2.on(source.name, () => later(source)));
  for (const source of sources) later(source);
  return {
    async drain() {
      for (const source of sources) while (!read(source, TURN_BYTES, false)) await (ready() ?? (0, import_promises2.setImmediate)());
    },
    close: () => {
      closed = true;
      for (const stop of stops) stop();
      for (const source of sources) (0, import_node_fs13.closeSync)(source.fd);
    }
  };
}
function openFollowed(path) {
  const fd = (0, import_node_fs13.openSync)(path, import_node_fs13.constants.O_RDONLY | import_node_fs13.constants.O_NONBLOCK);
  if ((0, import_node_fs13.fstatSync)(fd).isFile()) return fd;
  (0, import_node_fs13.closeSync)(fd);
  return (0, import_node_fs13.openSync)(import_node_os3.devNull, "r");
}
var import_node_fs13, import_node_os3, import_node_path10, import_promises2, alwaysReady, CHUNK_BYTES, TURN_BYTES;
var init_follow = __esm({
  "src/process/follow.ts"() {
    "use strict";
    import_node_fs13 = require("node:fs");
    import_node_os3 = require("node:os");
    import_node_path10 = require("node:path");
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
  let failure2 = null;
  const begin2 = () => {
    const sync = journal.sync().catch((error) => {
      failure2 ??= { error };
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
      if (failure2 !== null) throw failure2.error;
    }
  };
}
var init_durability = __esm({
  "src/engine/durability.ts"() {
    "use strict";
  }
});

// src/engine/status-writer.ts
function statusWriter(folder, createdAt) {
  let held = null;
  let timer = null;
  let writtenAt = -Infinity;
  const write = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (held === null) return;
    writeStatus(folder, statusOf(held, createdAt));
    held = null;
    writtenAt = now();
  };
  const writeIfPossible = () => {
    try {
      write();
    } catch {
    }
  };
  return {
    update(state) {
      held = state;
      const rest = writtenAt + AT_MOST_EVERY - now();
      if (rest <= 0) write();
      else timer ??= setTimeout(writeIfPossible, rest).unref();
    },
    close: write
  };
}
function now() {
  return process.uptime() * 1e3;
}
var AT_MOST_EVERY;
var init_status_writer = __esm({
  "src/engine/status-writer.ts"() {
    "use strict";
    init_status();
    AT_MOST_EVERY = 1e3;
  }
});

// src/engine/drive.ts
async function drive(crank2, loop, options) {
  const { journal, folder, createdAt } = loop;
  const { perform, now: now2, emit, stop, cancel, ready = alwaysReady } = options;
  const durability = durabilityOf(journal);
  const stopOrCancel = AbortSignal.any([stop, cancel]);
  const status = statusWriter(folder, createdAt);
  let { state } = loop;
  try {
    while (!isOver(state)) {
      const isAtIt = state.phase.at === "await" || state.phase.at === "step";
      if (cancel.aborted || stop.aborted && !isAtIt) return { kind: "stopped" };
      const action = crank2.next(state);
      emit({ type: "action", action, state });
      if (action.do === "publish" || action.do === "end" || action.do === "step" && action.outward)
        await durability.settled();
      let performed;
      if (action.do === "end") {
        performed = { result: { kind: "ended", ending: action.ending }, attempt: 1 };
      } else {
        const run = "run" in action ? action.run : null;
        let seq = 0;
        performed = await perform(action, {
          signal: action.do === "wait" ? stopOrCancel : cancel,
          ready,
          progress: (event) => {
            if (run !== null) emit({ type: "progress", run, seq: seq++, event });
          }
        });
      }
      const { result, attempt } = performed;
      const record = { v: RECORD_VERSION, seq: state.seq + 1, at: now2(), key: action.key, attempt, result };
      journal.append(record);
      if (result.kind === "ran") durability.begin();
      if (result.kind === "ended") journal.syncNow();
      state = crank2.apply(state, record);
      if (result.kind === "inputs" || result.kind === "ended") status.update(state);
      emit({ type: "record", record, state });
    }
    return { kind: "ended", ending: state.phase.ending };
  } finally {
    status.close();
  }
}
var init_drive = __esm({
  "src/engine/drive.ts"() {
    "use strict";
    init_record();
    init_state();
    init_follow();
    init_durability();
    init_status_writer();
  }
});

// src/engine/orders.ts
function giveOrder(loop, order) {
  makePrivateFolder(folderOf(loop));
  writeProjection((0, import_node_path11.join)(folderOf(loop), FILE2), `${order}
`);
}
function readOrder(loop) {
  try {
    const order = (0, import_node_fs14.readFileSync)((0, import_node_path11.join)(folderOf(loop), FILE2), "utf8").trim();
    return order === "pause" || order === "stop" ? order : "run";
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "run";
    throw error;
  }
}
function watchOrders(loop, changed2) {
  makePrivateFolder(folderOf(loop));
  const watch2 = watchFolder(folderOf(loop));
  const stop = watch2.on(FILE2, changed2);
  return () => {
    stop();
    watch2.close();
  };
}
function folderOf(loop) {
  return (0, import_node_path11.join)(loop, "orders");
}
var import_node_fs14, import_node_path11, FILE2;
var init_orders = __esm({
  "src/engine/orders.ts"() {
    "use strict";
    import_node_fs14 = require("node:fs");
    import_node_path11 = require("node:path");
    init_error();
    init_folder_watch();
    init_folders();
    init_projection();
    FILE2 = "order";
  }
});

// src/stream/write-all.ts
function writeAll(file, bytes) {
  for (let done = 0; done < bytes.length; ) done += (0, import_node_fs15.writeSync)(file, bytes, done);
}
var import_node_fs15;
var init_write_all = __esm({
  "src/stream/write-all.ts"() {
    "use strict";
    import_node_fs15 = require("node:fs");
  }
});

// src/process/end-on-abort.ts
async function endOnAbort(trace, { signal, grace }, wait) {
  let ending = Promise.resolve(true);
  const end2 = () => {
    ending = endRun(trace, grace);
  };
  signal.addEventListener("abort", end2, { once: true });
  if (signal.aborted) end2();
  try {
    const result = await wait();
    await ending;
    return result;
  } finally {
    signal.removeEventListener("abort", end2);
  }
}
var init_end_on_abort = __esm({
  "src/process/end-on-abort.ts"() {
    "use strict";
    init_end();
  }
});

// src/process/pid-namespace.ts
function inPidNamespace(argv, asRoot) {
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
    INIT,
    "ralph-init",
    ...argv
  ];
}
function pidNamespacesWork(asRoot) {
  const [command, ...args] = inPidNamespace(["true"], asRoot);
  return (0, import_node_child_process2.spawnSync)(command, args, { stdio: "ignore" }).status === 0;
}
var import_node_child_process2, INIT;
var init_pid_namespace = __esm({
  "src/process/pid-namespace.ts"() {
    "use strict";
    import_node_child_process2 = require("node:child_process");
    INIT = '"$@"; exit $?';
  }
});

// src/process/launch.ts
async function launch(spec, place) {
  const { containment, folder, mark: mark2 } = spec;
  const leaf = containment.rung === "cgroup" ? leafPath(containment.home, mark2) : null;
  const plan = { v: 1, rung: containment.rung, mark: mark2, leaf };
  writePlan(folder, plan);
  if (leaf !== null) makeLeaf(leaf);
  const files = [];
  const open = (path, flags) => {
    const file = (0, import_node_fs16.openSync)((0, import_node_path12.resolve)(folder, path), flags, 384);
    files.push(file);
    return file;
  };
  try {
    const spawned = leaf === null ? null : await startedBySpawner(spec, leaf);
    if (spawned !== null) return { ...spawned, trace: { plan, leader: null } };
    const stdin = spec.stdin === void 0 ? "ignore" : open(spec.stdin, "r");
    const stdout = typeof spec.stdout === "number" ? spec.stdout : open(spec.stdout, "a");
    const stderr = typeof spec.stderr === "number" ? spec.stderr : open(spec.stderr, "a");
    const [command, ...args] = wrapped(spec);
    const start = () => (0, import_node_child_process3.spawn)(command, args, {
      cwd: spec.cwd,
      env: environmentOf(spec),
      // A session, and so a group, of its own.
      detached: true,
      stdio: [stdin, stdout, stderr]
    });
    const child = startOrSay(
      command,
      containment.rung === "cgroup" && leaf !== null ? () => bornInside(containment.home, leaf, start) : start
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
    for (const file of files) (0, import_node_fs16.closeSync)(file);
  }
}
async function startedBySpawner(spec, leaf) {
  const { spawner, argv, cwd, folder, stdin, stdout, stderr, tethered } = spec;
  if (spawner === void 0 || tethered === true || typeof stdout === "number" || typeof stderr === "number")
    return null;
  const files = {
    stdin: stdin === void 0 ? import_node_os4.devNull : (0, import_node_path12.resolve)(folder, stdin),
    stdout: (0, import_node_path12.resolve)(folder, stdout),
    stderr: (0, import_node_path12.resolve)(folder, stderr)
  };
  try {
    return await spawner.start({ argv, cwd, env: environmentOf(spec), leaf, ...files });
  } catch (error) {
    throw new LaunchError(argv[0], error instanceof Error ? error : new Error(String(error)));
  }
}
function environmentOf({ env, mark: mark2 }) {
  return { ...env, [MARK_VARIABLE]: markedEnvironment(env[MARK_VARIABLE], mark2) };
}
function startOrSay(command, start) {
  try {
    return start();
  } catch (error) {
    throw new LaunchError(command, error instanceof Error ? error : new Error(String(error)));
  }
}
function wrapped(spec) {
  const contained = spec.containment.rung === "pid-namespace" ? inPidNamespace(spec.argv, spec.containment.asRoot) : spec.argv;
  return spec.tethered === true ? ["setpriv", "--pdeathsig", "KILL", "--", ...contained] : contained;
}
function exitOf(child) {
  return new Promise((resolve10, reject) => {
    child.once("error", (cause) => reject(new LaunchError(child.spawnfile, cause)));
    child.once("exit", (code, signal) => {
      resolve10(code === null ? { by: "signal", signal: signal ?? "unknown" } : { by: "code", code });
    });
  });
}
var import_node_child_process3, import_node_fs16, import_node_os4, import_node_path12, LaunchError;
var init_launch = __esm({
  "src/process/launch.ts"() {
    "use strict";
    import_node_child_process3 = require("node:child_process");
    import_node_fs16 = require("node:fs");
    import_node_os4 = require("node:os");
    import_node_path12 = require("node:path");
    init_cgroup();
    init_identity();
    init_mark();
    init_pid_namespace();
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
  const { status, stderr } = (0, import_node_child_process4.spawnSync)("mkfifo", ["-m", "600", path], { encoding: "utf8" });
  if (status !== 0) throw new RalphError("PIPE", `cannot make the pipe ${path}: ${stderr.trim()}`, { exitCode: 2 });
  try {
    const reader = (0, import_node_fs17.openSync)(path, import_node_fs17.constants.O_RDONLY | import_node_fs17.constants.O_NONBLOCK);
    const writer = (0, import_node_fs17.openSync)(path, import_node_fs17.constants.O_WRONLY);
    let isOpen = true;
    return {
      writer,
      reader: new import_node_net.Socket({ fd: reader, readable: true, writable: false }),
      closeWriter() {
        if (isOpen) (0, import_node_fs17.closeSync)(writer);
        isOpen = false;
      }
    };
  } finally {
    (0, import_node_fs17.rmSync)(path, { force: true });
  }
}
var import_node_child_process4, import_node_fs17, import_node_net;
var init_pipe = __esm({
  "src/process/pipe.ts"() {
    "use strict";
    import_node_child_process4 = require("node:child_process");
    import_node_fs17 = require("node:fs");
    import_node_net = require("node:net");
    init_error();
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
  const file = (0, import_node_fs18.openSync)(run.output, "w", 384);
  const pipe = openPipe(fileOf(run, "pipe"));
  try {
    const spec = { ...specOf(run, host), stdout: pipe.writer, stderr: pipe.writer };
    const launched = await launch(spec, host.place);
    pipe.closeWriter();
    const copied = copyTo(file, pipe.reader, launched, run);
    const exit = await seeToEnd(launched, run, host);
    await copied.done();
    return run.signal.aborted ? null : exit;
  } finally {
    pipe.closeWriter();
    pipe.reader.destroy();
    (0, import_node_fs18.closeSync)(file);
  }
}
function refusalsOf(run) {
  return fileOf(run, "refused");
}
function fileOf({ folder, mark: mark2 }, ending) {
  return (0, import_node_path13.join)(folder, `${mark2.replaceAll(/[^\w.-]/g, "-")}.${ending}`);
}
function specOf(run, host) {
  const { cwd, folder, mark: mark2, extraEnv } = run;
  const enclosure = run.outside === true ? void 0 : host.enclosure;
  const argv = enclosure?.enclose(run.argv, { refusals: refusalsOf(run) }) ?? run.argv;
  const env = { ...host.env, ...enclosure?.env, ...extraEnv };
  return { argv, cwd, env, folder, mark: mark2, containment: host.containment };
}
async function seeToEnd({ exited, trace }, run, { enclosure }) {
  const exit = await endOnAbort(trace, run, () => exited);
  await sweep(trace);
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
      const reason = error instanceof Error ? error.message : String(error);
      const hint = "Make room on the disk, then: ralph resume";
      problem = new RalphError("LOG", `cannot write ${run.output}: ${reason}`, { hint, exitCode: 2 });
      void endRun(trace, run.grace);
    }
  });
  const closed = (0, import_promises3.finished)(reader, { writable: false }).catch(brokenOff);
  return {
    async done() {
      await Promise.race([closed, (0, import_promises4.setTimeout)(LAST_OUTPUT_TAKES_AT_MOST, void 0, { ref: false })]);
      if (problem !== null) throw problem;
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
var import_node_fs18, import_node_path13, import_promises3, import_promises4, LAST_OUTPUT_TAKES_AT_MOST;
var init_command = __esm({
  "src/process/command.ts"() {
    "use strict";
    import_node_fs18 = require("node:fs");
    import_node_path13 = require("node:path");
    import_promises3 = require("node:stream/promises");
    import_promises4 = require("node:timers/promises");
    init_error();
    init_write_all();
    init_end();
    init_end_on_abort();
    init_launch();
    init_pipe();
    init_trace();
    LAST_OUTPUT_TAKES_AT_MOST = 1e3;
  }
});

// src/stream/mask-file.ts
function maskFile(path, mask) {
  let isClean = true;
  eachBlock(path, (block) => {
    isClean &&= masked(block, mask).equals(block);
  });
  if (isClean) return;
  const next2 = `${path}.masked`;
  const target = (0, import_node_fs19.openSync)(next2, "w", 384);
  try {
    eachBlock(path, (block) => writeAll(target, masked(block, mask)));
    (0, import_node_fs19.renameSync)(next2, path);
  } finally {
    (0, import_node_fs19.closeSync)(target);
    (0, import_node_fs19.rmSync)(next2, { force: true });
  }
}
function masked(block, mask) {
  const encoding = (0, import_node_buffer.isUtf8)(block) ? "utf8" : "latin1";
  return Buffer.from(mask(block.toString(encoding)), encoding);
}
function eachBlock(path, take3) {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = (0, import_node_fs19.openSync)(path, "r");
  try {
    let rest = Buffer.alloc(0);
    for (let bytes = (0, import_node_fs19.readSync)(file, buffer); bytes > 0; bytes = (0, import_node_fs19.readSync)(file, buffer)) {
      const block = Buffer.concat([rest, buffer.subarray(0, bytes)]);
      const end2 = block.length > 2 * BLOCK_BYTES ? block.length : block.lastIndexOf(LF2) + 1;
      take3(block.subarray(0, end2));
      rest = block.subarray(end2);
    }
    take3(rest);
  } finally {
    (0, import_node_fs19.closeSync)(file);
  }
}
var import_node_buffer, import_node_fs19, BLOCK_BYTES, LF2;
var init_mask_file = __esm({
  "src/stream/mask-file.ts"() {
    "use strict";
    import_node_buffer = require("node:buffer");
    import_node_fs19 = require("node:fs");
    init_write_all();
    BLOCK_BYTES = 4 * 1024 * 1024;
    LF2 = 10;
  }
});

// src/checks/guardrail.ts
async function runGuardrail(run, host) {
  const { check, cwd } = run;
  const output = (0, import_node_path14.join)(cwd, check.log);
  makeLogFolder((0, import_node_path14.dirname)(output));
  const began = performance.now();
  const seen = await runThroughPipe({ ...run, argv: shellCommand(check.command, process.platform), output }, host);
  const exit = seen ?? run.expired();
  maskFile(output, host.mask);
  if (exit === null) return null;
  const passed = exit.by === "code" && exit.code === 0;
  const kept2 = passed ? { output: "", truncated: false } : headOf(output, check.keepChars);
  return {
    index: check.index,
    exit,
    passed,
    log: check.log,
    ...kept2,
    durationMs: Math.round(performance.now() - began)
  };
}
function makeLogFolder(folder) {
  try {
    (0, import_node_fs20.mkdirSync)(folder, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RalphError("LOG_FOLDER", `cannot create .ralph directory: ${reason}`, {
      hint: "Make room for it, then: ralph resume",
      exitCode: 2
    });
  }
}
function shellCommand(command, platform3) {
  return platform3 === "win32" ? ["cmd", "/c", command] : ["sh", "-c", command];
}
function headOf(path, chars) {
  const file = (0, import_node_fs20.openSync)(path, "r");
  try {
    const { size } = (0, import_node_fs20.fstatSync)(file);
    const buffer = Buffer.alloc(Math.min(chars * 4 + 4, size));
    const bytes = (0, import_node_fs20.readSync)(file, buffer, 0, buffer.length, 0);
    const isWhole = bytes >= size;
    const characters = [...new TextDecoder().decode(buffer.subarray(0, bytes), { stream: !isWhole })];
    return { output: characters.slice(0, chars).join(""), truncated: !isWhole || characters.length > chars };
  } finally {
    (0, import_node_fs20.closeSync)(file);
  }
}
var import_node_fs20, import_node_path14;
var init_guardrail = __esm({
  "src/checks/guardrail.ts"() {
    "use strict";
    import_node_fs20 = require("node:fs");
    import_node_path14 = require("node:path");
    init_error();
    init_command();
    init_mask_file();
  }
});

// src/runners/sandbox/refusals.ts
function readRefusals(file) {
  try {
    return (0, import_node_fs21.readFileSync)(file, "utf8").split("\n").flatMap(parseRefusal);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
function parseRefusal(line) {
  if (line === "") return [];
  try {
    const parsed = JSON.parse(line);
    return isRefusal(parsed) ? [parsed] : [];
  } catch {
    return [];
  }
}
function isRefusal(value) {
  if (value === null || typeof value !== "object") return false;
  const { what, target, allow } = value;
  return (what === "write" || what === "connect") && typeof target === "string" && typeof allow === "string";
}
function describeRefusal({ what, target, allow }) {
  if (what === "write") return `refused to write ${target} (to allow it: --allow-write ${allow})`;
  return `refused to connect to ${target} (to allow it: --allow-host ${allow})`;
}
var import_node_fs21;
var init_refusals = __esm({
  "src/runners/sandbox/refusals.ts"() {
    "use strict";
    import_node_fs21 = require("node:fs");
    init_error();
  }
});

// src/core/outcome.ts
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
var init_outcome = __esm({
  "src/core/outcome.ts"() {
    "use strict";
    init_duration();
  }
});

// src/scm/git.ts
function git(args, cwd, env, enclose = (argv) => argv) {
  const [program2 = "", ...rest] = enclose(["git", "--no-optional-locks", ...args]);
  return new Promise((resolve10) => {
    (0, import_node_child_process5.execFile)(program2, rest, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve10({ ok: error === null, stdout, stderr });
    });
  });
}
function gitIn(cwd, env, enclose) {
  return (args) => git(args, cwd, env, enclose);
}
async function headCommit(look) {
  const { ok, stdout } = await look(["rev-parse", "--verify", "--quiet", "HEAD"]);
  return ok ? stdout.trim() : null;
}
async function untrackedFiles(look) {
  const { ok, stdout } = await look(["ls-files", "--others", "--exclude-standard", "-z"]);
  return ok ? stdout.split("\0").filter((path) => path !== "" && !OWN_FILES.test(path)) : [];
}
async function stageAll(look) {
  await look(["add", "--all"]);
}
var import_node_child_process5, OWN_FILES;
var init_git = __esm({
  "src/scm/git.ts"() {
    "use strict";
    import_node_child_process5 = require("node:child_process");
    OWN_FILES = /(^|\/)\.ralph\//;
  }
});

// src/scm/publish.ts
async function publish(run, host) {
  const marks = run.cutOff.map(({ mark: mark2 }) => mark2);
  await awaitCutOff(run.folder, marks, LET_FINISH, run.grace);
  const { what } = run;
  if (what.task !== "commit") return outward(run, host);
  return (0, import_node_path15.basename)(what.command) === "git" ? commit(run, host) : runTask(run, ["commit", "-am", what.message], host);
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
function lookOf(run, { env, enclosure }) {
  if (enclosure === void 0) return gitIn(run.cwd, env);
  const files = { refusals: refusalsOf(run) };
  return gitIn(run.cwd, { ...env, ...enclosure.env }, (argv) => enclosure.enclose(argv, files));
}
async function commit(run, host) {
  const { what } = run;
  const look = lookOf(run, host);
  const head = await headCommit(look);
  if (await alreadyMade(run, head, host)) return published(what, "done", head ?? "");
  if (what.stage === "all") await stageAll(look);
  const changes = await look(["status", "--porcelain", "--untracked-files=no"]);
  if (changes.ok && changes.stdout === "")
    return withLeftBehind(published(what, "nothing", "nothing to commit"), run, host);
  (0, import_node_fs22.writeFileSync)(baseFile(run.folder, run.name), head ?? "", { mode: 384 });
  const result = await runTask(run, ["commit", what.stage === "all" ? "-m" : "-am", what.message], host);
  if (result?.status !== "done") return result;
  return withLeftBehind(published(what, "done", await headCommit(look) ?? ""), run, host);
}
async function withLeftBehind(done, run, host) {
  const untracked = await untrackedFiles(lookOf(run, host));
  return untracked.length === 0 ? done : { ...done, leftBehind: { count: untracked.length, names: untracked.slice(0, MOST_NAMES) } };
}
async function alreadyMade(run, head, host) {
  const base = run.cutOff.map(({ name }) => baseOf(run.folder, name)).findLast((commit2) => commit2 !== null);
  if (base === void 0 || head === null || head === base) return false;
  const { stdout } = await lookOf(run, host)(["log", "-1", "--format=%B"]);
  return tidied(stdout) === tidied(run.what.message);
}
function tidied(message) {
  return message.replaceAll(/[ \t]+$/gm, "").replaceAll(/\n{3,}/g, "\n\n").trim();
}
async function runTask(run, args, host) {
  const { what } = run;
  const output = (0, import_node_path15.join)(run.folder, `${run.name}.out`);
  let exit;
  try {
    exit = await runToFile({ ...run, argv: [what.command, ...args], output }, host);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    return published(what, "failed", error.message);
  }
  if (exit === null) return null;
  if (exit.by === "code" && exit.code === 0) return published(what, "done", "");
  const said = host.mask((0, import_node_fs22.readFileSync)(output, "utf8").trim().slice(0, 2e3));
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
  return (0, import_node_path15.join)(folder, `${name}.base`);
}
function baseOf(folder, name) {
  try {
    return (0, import_node_fs22.readFileSync)(baseFile(folder, name), "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
var import_node_fs22, import_node_path15, MOST_NAMES, LET_FINISH;
var init_publish = __esm({
  "src/scm/publish.ts"() {
    "use strict";
    import_node_fs22 = require("node:fs");
    import_node_path15 = require("node:path");
    init_error();
    init_outcome();
    init_command();
    init_launch();
    init_git();
    MOST_NAMES = 10;
    LET_FINISH = 12e4;
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

// src/engine/perform-command.ts
async function performCheck(local, action, at) {
  const { key, check } = action;
  const claim2 = claimAttempt(local.loop.folder, key);
  const marks = claim2.cutOff.map(({ attempt }) => markOf(local.loop.id, key, attempt));
  await endCutOff(claim2.folder, marks, local.grace);
  const limit = timeLimit(check.timeoutMs, at.signal);
  const run = { check, ...commandOf(local, key, claim2), signal: limit.signal, expired: limit.expired };
  const checked = await runGuardrail(run, local.host);
  if (checked === null) return { attempt: claim2.attempt, result: INTERRUPTED };
  const refused = readRefusals(refusalsOf(run)).map(describeRefusal);
  const told3 = refused.length === 0 ? {} : { refused };
  return { attempt: claim2.attempt, result: { kind: "checked", ...checked, ...told3 } };
}
async function performPublish(local, action, at) {
  const { key, what } = action;
  const claim2 = claimAttempt(local.loop.folder, key);
  const cutOff2 = claim2.cutOff.map(({ name, attempt }) => ({ name, mark: markOf(local.loop.id, key, attempt) }));
  const done = await publish({ what, cutOff: cutOff2, ...commandOf(local, key, claim2), signal: at.signal }, local.host);
  return { attempt: claim2.attempt, result: done === null ? INTERRUPTED : { kind: "published", ...done } };
}
function commandOf({ cwd, grace, loop }, key, { folder, name, attempt }) {
  const mark2 = markOf(loop.id, key, attempt);
  return { cwd, folder, name, grace, mark: mark2, extraEnv: keyEnvironment(loop.id, key, attempt) };
}
var init_perform_command = __esm({
  "src/engine/perform-command.ts"() {
    "use strict";
    init_guardrail();
    init_command();
    init_refusals();
    init_publish();
    init_run_files();
    init_local();
  }
});

// src/agents/adapter.ts
function needsStdin({ prompt: prompt2, wantsStdin = false }) {
  return wantsStdin || prompt2.startsWith("-") || Buffer.byteLength(prompt2) > LONGEST_ARGUMENT;
}
var LONGEST_ARGUMENT;
var init_adapter = __esm({
  "src/agents/adapter.ts"() {
    "use strict";
    LONGEST_ARGUMENT = 1e5;
  }
});

// src/agents/api-fault.ts
function faultOfRefusal({ status, message, resetAt = null }) {
  const reason = shortened(message);
  if (status === 429 && message.includes("not your usage limit")) return { kind: "infrastructure", reason };
  if (status === 429) return { kind: "limit", reason: reason || "the usage limit is reached", resetAt };
  if (status === 401 || status === 403) return { kind: "auth", reason: reason || `HTTP ${status}` };
  if (status !== void 0 && status >= 500) return { kind: "infrastructure", reason: reason || `HTTP ${status}` };
  return null;
}
function shortened(text) {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line;
}
var LONGEST_REASON;
var init_api_fault = __esm({
  "src/agents/api-fault.ts"() {
    "use strict";
    LONGEST_REASON = 300;
  }
});

// src/agents/input-summary.ts
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
var FILE3, COMMAND, PATTERN, TASK, PAGE, QUERY, FIELDS;
var init_input_summary = __esm({
  "src/agents/input-summary.ts"() {
    "use strict";
    FILE3 = ["file_path", "path", "filePath", "absolute_path"].map((field) => [field, 80]);
    COMMAND = ["command", "cmd", "description"].map((field) => [field, 60]);
    PATTERN = ["pattern", "filePattern"].map((field) => [field, 40]);
    TASK = [["description", 40]];
    PAGE = [["url", 50]];
    QUERY = ["query", "objective", "pattern"].map((field) => [field, 50]);
    FIELDS = new Map([
      ...named(FILE3, "Read", "read", "read_file", "view", "look_at", "ls", "list_directory"),
      ...named(FILE3, "Write", "write", "write_file", "create", "create_file"),
      ...named(FILE3, "Edit", "edit", "edit_file", "replace", "undo_edit"),
      ...named(COMMAND, "Bash", "bash", "run_shell_command", "run_command", "powershell"),
      ...named(PATTERN, "Glob", "glob", "Grep", "grep", "grep_search", "search_file_content", "find"),
      ...named(TASK, "Task", "task", "agent"),
      ...named(PAGE, "WebFetch", "webfetch", "web_fetch", "read_web_page"),
      ...named(QUERY, "WebSearch", "websearch", "web_search", "google_web_search", "search")
    ]);
  }
});

// src/agents/json-line.ts
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
  "src/agents/json-line.ts"() {
    "use strict";
  }
});

// src/agents/usage-sum.ts
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
  "src/agents/usage-sum.ts"() {
    "use strict";
    NAMES = ["costUsd", "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
  }
});

// src/agents/claude-stream.ts
function claudeParser() {
  return streamJsonParser({ usageInMessages: false });
}
function streamJsonParser({ usageInMessages }) {
  const usage = usageSum();
  const todoCalls = /* @__PURE__ */ new Set();
  const isNews = (event) => event.type !== "tool-end" || !todoCalls.delete(event.id);
  let resetAt = null;
  const parseLine2 = (raw) => {
    if (raw.trim() === "") return [];
    const line = parseObject(raw);
    switch (line?.type) {
      case "assistant":
        if (line.is_api_error_message === true) return [];
        if (usageInMessages) usage.add(usageOf(objectFrom(line.message).usage));
        return objectsFrom(objectFrom(line.message).content).flatMap((block) => assistantBlock(block, todoCalls));
      case "user":
        return objectsFrom(objectFrom(line.message).content).flatMap(userBlock);
      case "result":
        return resultEvents(line, resetAt, usage.sum());
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
      return [{ type: "progress", text: textFrom(line.subtype, "system") }];
  }
}
function retryText(line) {
  const most = numberFrom(line.max_retries);
  const count = `${numberFrom(line.attempt) ?? "?"}${most === void 0 ? "" : `/${most}`}`;
  const why = [numberFrom(line.error_status), textFrom(line.error)].filter(Boolean).join(" ");
  const delay = numberFrom(line.retry_delay_ms);
  return `API retry ${count}: ${why}${delay === void 0 ? "" : `, in ${(delay / 1e3).toFixed(1)} s`}`;
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
function resultEvents(line, resetAt, usage) {
  const fault = faultOf(line, resetAt);
  return [...denialsOf(line), ...fault === null ? [] : [{ type: "fault", fault }], accountOf(line, usage)];
}
function faultOf(line, resetAt) {
  if (line.is_error !== true) return null;
  return faultOfRefusal({ status: numberFrom(line.api_error_status), message: textFrom(line.result), resetAt });
}
function denialsOf(line) {
  const denials = Array.isArray(line.permission_denials) ? line.permission_denials : [];
  const tools = denials.map((denial) => textFrom(objectFrom(denial).tool_name, textFrom(denial, "tool")));
  if (tools.length === 0) return [];
  const text = `Permission refused for ${tools.length} tool call${tools.length === 1 ? "" : "s"} (${[...new Set(tools)].join(", ")}): allow them in agent.flags`;
  return [{ type: "notice", text }];
}
function accountOf(line, usage) {
  const reason = failureOf(line);
  return {
    type: "result",
    isError: line.is_error === true || reason !== null,
    text: textFrom(line.result),
    ...reason === null ? {} : { reason },
    ...figures({ costUsd: line.total_cost_usd, durationMs: line.duration_ms }),
    ...usage,
    ...usageOf(line.usage)
  };
}
function usageOf(usage) {
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
var TODO_TOOLS;
var init_claude_stream = __esm({
  "src/agents/claude-stream.ts"() {
    "use strict";
    init_api_fault();
    init_input_summary();
    init_json_line();
    init_usage_sum();
    TODO_TOOLS = /* @__PURE__ */ new Set(["TodoWrite", "todo_write"]);
  }
});

// src/agents/reset-time.ts
function resetTimeIn(text, now2) {
  return instantIn(text) ?? dateIn(text, now2) ?? clockIn(text, now2) ?? spanIn(text, now2);
}
function instantIn(text) {
  const seconds = /\|(\d{10})\b/.exec(text)?.[1];
  if (seconds !== void 0) return Number(seconds) * 1e3;
  const iso = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/.exec(text)?.[0];
  return iso === void 0 ? null : valid(Date.parse(iso));
}
function dateIn(text, now2) {
  const [, month, day, year, hour, minute, half, zone] = DATE_PATTERN.exec(text) ?? [];
  if (month === void 0) return null;
  const at = (inYear) => localInstant(
    [inYear, MONTHS.indexOf(month.slice(0, 3).toLowerCase()), Number(day), ...clock(hour, minute, half)],
    zone
  );
  if (year !== void 0) return at(Number(year));
  const thisYear = at(new Date(now2).getFullYear());
  return thisYear !== null && thisYear < now2 - DAY ? at(new Date(now2).getFullYear() + 1) : thisYear;
}
function clockIn(text, now2) {
  const [, hour, minute, half, zone] = CLOCK_PATTERN.exec(text) ?? [];
  if (hour === void 0) return null;
  const today = localInstant([...dayOf(now2, zone), ...clock(hour, minute, half)], zone);
  return today !== null && today < now2 - 6e4 ? today + DAY : today;
}
function spanIn(text, now2) {
  const span = SPAN_PATTERN.exec(text)?.[1];
  if (span === void 0) return null;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi)];
  const length = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS2[unit?.toLowerCase() ?? ""] ?? 0),
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
function localInstant(time, zone) {
  const asUtc = Date.UTC(...time);
  if (Number.isNaN(asUtc)) return null;
  const guess = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(guess, zone);
}
function offsetAt(at, zone) {
  const own = -new Date(at).getTimezoneOffset() * 6e4;
  if (zone === void 0) return own;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 6e4;
  } catch {
    return own;
  }
}
function valid(at) {
  return Number.isFinite(at) ? at : null;
}
var MONTHS, CLOCK, ZONE, DATE_PATTERN, CLOCK_PATTERN, SPAN_PATTERN, UNITS2, DAY;
var init_reset_time = __esm({
  "src/agents/reset-time.ts"() {
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
    UNITS2 = { d: 864e5, h: 36e5, m: 6e4, s: 1e3 };
    DAY = 864e5;
  }
});

// src/agents/error-text.ts
function faultOfErrorText(text, now2) {
  const message = messageIn(text);
  const resetAt = resetTimeIn(message.replaceAll("~", ""), now2);
  const [, leading, inJson, named2] = STATUS.exec(text) ?? [];
  const status = leading ?? inJson ?? named2;
  if (status !== void 0) return faultOfRefusal({ status: Number(status), message, resetAt });
  if (LIMIT.test(message)) return { kind: "limit", reason: shortened(message), resetAt };
  return NO_ANSWER.test(message) ? { kind: "infrastructure", reason: shortened(message) } : null;
}
function messageIn(text) {
  const start = text.indexOf("{");
  const body = start < 0 ? null : parseObject(text.slice(start).trimEnd());
  if (body === null) return text;
  return textFrom(body.message, textFrom(objectFrom(body.error).message, text));
}
var STATUS, LIMIT, NO_ANSWER;
var init_error_text = __esm({
  "src/agents/error-text.ts"() {
    "use strict";
    init_api_fault();
    init_json_line();
    init_reset_time();
    STATUS = /^(\d{3})\b|"(?:code|status)": ?(\d{3})\b|\b(?:HTTP|status(?: code)?):? (\d{3})\b/i;
    LIMIT = /\brate.?limit|\busage limit|\bquota\b|\btoo many requests\b|\bRESOURCE_EXHAUSTED\b/i;
    NO_ANSWER = /\boverloaded\b|\bconnection error\b|\bfetch failed\b|\bterminated\b|\bother side closed\b|\bsocket hang up\b|\bECONN[A-Z]+\b|\bENOTFOUND\b|\bnetwork error\b|\btimed out\b/i;
  }
});

// src/agents/plain.ts
function plainParser() {
  return { hasStructure: false, parse: (line) => [{ type: "text", text: line }] };
}
var plain;
var init_plain = __esm({
  "src/agents/plain.ts"() {
    "use strict";
    init_adapter();
    plain = {
      name: "plain",
      title: "any other command",
      install: null,
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "nothing",
      tested: "as plain text",
      commandLine: ({ command, flags, prompt: prompt2, wantsStdin = false }) => {
        const promptOnStdin = wantsStdin || Buffer.byteLength(prompt2) > LONGEST_ARGUMENT;
        return { argv: [command, ...flags, ...promptOnStdin ? [] : [prompt2]], promptOnStdin };
      },
      parser: plainParser
    };
  }
});

// src/agents/amp-stream.ts
function ampParser(now2 = Date.now) {
  const { parse } = streamJsonParser({ usageInMessages: true });
  return {
    hasStructure: true,
    parse: untilLogin((line) => parse(line).flatMap((event) => withFault(event, now2()))),
    parseStderr: (line) => stderrEvents(line, now2())
  };
}
function ampTextParser(now2 = Date.now) {
  const { parse } = plainParser();
  return { hasStructure: false, parse: untilLogin(parse), parseStderr: (line) => stderrEvents(line, now2()) };
}
function untilLogin(parse) {
  let said = "nothing";
  return (raw) => {
    const isLogin = said === "nothing" && raw.startsWith("No API key found. Starting login flow");
    if (isLogin) said = "login";
    else if (said === "nothing" && raw.trim() !== "") said = "words";
    if (said !== "login") return parse(raw);
    return [{ type: "unknown", raw }, ...isLogin ? [NO_LOGIN] : []];
  };
}
function withFault(event, now2) {
  const fault = event.type === "result" && event.isError ? faultIn(event.reason ?? "", now2) : null;
  return fault === null ? [event] : [{ type: "fault", fault }, event];
}
function stderrEvents(line, now2) {
  const shown = { type: "stderr", text: line };
  const fault = line.startsWith("Error: ") ? faultIn(line.slice("Error: ".length), now2) : null;
  return fault === null ? [shown] : [shown, { type: "fault", fault }];
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
var init_amp_stream = __esm({
  "src/agents/amp-stream.ts"() {
    "use strict";
    init_api_fault();
    init_claude_stream();
    init_error_text();
    init_plain();
    NO_LOGIN = {
      type: "fault",
      fault: { kind: "auth", reason: "it is not logged in: run `amp login`, or set AMP_API_KEY" },
      isHopeless: true
    };
  }
});

// src/agents/flags.ts
function unlessGiven(wanted, given) {
  return wanted.filter(({ words: [option], or = [] }) => ![option, ...or].some((name) => holds(given, name))).flatMap(({ words }) => words.filter((word) => word !== void 0));
}
function holds(given, option) {
  return given.some((flag) => flag === option || flag.startsWith(`${option}=`));
}
function givenValue(given, ...options) {
  for (let i = given.length - 1; i >= 0; i--) {
    const flag = given[i] ?? "";
    const joined = options.find((option) => flag.startsWith(`${option}=`));
    if (joined !== void 0) return flag.slice(joined.length + 1);
    if (i > 0 && options.includes(given[i - 1] ?? "")) return flag;
  }
  return void 0;
}
var init_flags = __esm({
  "src/agents/flags.ts"() {
    "use strict";
  }
});

// src/agents/amp.ts
var STREAM_FLAGS, STREAM, AUTONOMY, EXECUTE, amp;
var init_amp = __esm({
  "src/agents/amp.ts"() {
    "use strict";
    init_adapter();
    init_amp_stream();
    init_flags();
    STREAM_FLAGS = ["--stream-json", "--stream-json-thinking"];
    STREAM = { words: [STREAM_FLAGS[0]], or: [STREAM_FLAGS[1]] };
    AUTONOMY = { words: ["--dangerously-allow-all"] };
    EXECUTE = { words: ["-x"], or: ["--execute"] };
    amp = {
      name: "amp",
      title: "Amp",
      install: "npm install -g @ampcode/cli",
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "tokens",
      tested: "by its documented stream",
      commandLine: (call) => {
        const { command, flags, prompt: prompt2, mode } = call;
        const promptOnStdin = needsStdin(call);
        const wanted = unlessGiven(mode === "stream" ? [STREAM, AUTONOMY] : [AUTONOMY], flags);
        const execute = [...unlessGiven([EXECUTE], flags), ...promptOnStdin ? [] : [prompt2]];
        return { argv: [command, ...wanted, ...flags, ...execute], promptOnStdin };
      },
      parser: ({ mode, flags }) => mode === "stream" || STREAM_FLAGS.some((flag) => holds(flags, flag)) ? ampParser() : ampTextParser()
    };
  }
});

// src/agents/claude-text.ts
function claudeTextParser(now2 = Date.now) {
  const { parse, ...plain2 } = plainParser();
  return {
    ...plain2,
    parse: (line) => [...parse(line), ...faultEvents(line.slice(0, 500), now2())]
  };
}
function faultEvents(line, now2) {
  const fault = faultIn2(line, now2);
  return fault === null ? [] : [{ type: "fault", fault }];
}
function faultIn2(line, now2) {
  if (/^You['’]ve hit your\b.*\blimit\b/.test(line)) {
    return { kind: "limit", reason: shortened(line), resetAt: resetTimeIn(line, now2) };
  }
  if (/^(?:Not logged in|Invalid API key|Failed to authenticate)\b/.test(line)) {
    return { kind: "auth", reason: shortened(line) };
  }
  const status = /^API Error: (?:Request rejected \()?(\d{3})\b/.exec(line)?.[1];
  return status === void 0 ? null : faultOfRefusal({ status: Number(status), message: line });
}
var init_claude_text = __esm({
  "src/agents/claude-text.ts"() {
    "use strict";
    init_api_fault();
    init_plain();
    init_reset_time();
  }
});

// src/agents/claude.ts
var STREAM2, TEXT, claude;
var init_claude = __esm({
  "src/agents/claude.ts"() {
    "use strict";
    init_adapter();
    init_claude_stream();
    init_claude_text();
    init_flags();
    STREAM2 = [{ words: ["--output-format", "stream-json"] }, { words: ["--verbose"] }];
    TEXT = [{ words: ["--output-format", "text"] }];
    claude = {
      name: "claude",
      title: "Claude Code",
      install: "npm install -g @anthropic-ai/claude-code",
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "dollars",
      tested: "with 2.1.325",
      commandLine: (call) => {
        const { command, flags, prompt: prompt2, mode } = call;
        const promptOnStdin = needsStdin(call);
        const print = unlessGiven([{ words: ["-p"], or: ["--print"] }], flags);
        const wanted = unlessGiven(mode === "stream" ? STREAM2 : TEXT, flags);
        return { argv: [command, ...print, ...wanted, ...flags, ...promptOnStdin ? [] : [prompt2]], promptOnStdin };
      },
      // The user's own flags may ask for another format than ours.
      parser: ({ mode, flags }) => mode === "stream" && (givenValue(flags, "--output-format") ?? "stream-json") === "stream-json" ? claudeParser() : claudeTextParser()
    };
  }
});

// src/agents/codex-fault.ts
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
var init_codex_fault = __esm({
  "src/agents/codex-fault.ts"() {
    "use strict";
    init_api_fault();
    init_reset_time();
  }
});

// src/agents/codex-stream.ts
function codexParser(now2 = Date.now) {
  let lastWords = "";
  const started = /* @__PURE__ */ new Set();
  const itemEvents = (item, isStarted) => {
    switch (item.type) {
      case "agent_message":
        if (isStarted) return [];
        lastWords = textFrom(item.text);
        return [{ type: "text", text: lastWords }];
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
          return [{ type: "result", isError: false, text: lastWords, ...usageOf2(objectFrom(line.usage)) }];
        case "turn.failed":
          return failure(textFrom(objectFrom(line.error).message), now2);
        case "error":
          return retryNotice(textFrom(line.message));
        case "thread.started":
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
  const end2 = { type: "tool-end", id, output: outputOf(item), isError };
  return started.delete(id) ? [end2] : [start, end2];
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
function usageOf2(usage) {
  return figures({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cached_input_tokens,
    cacheWriteTokens: usage.cache_write_input_tokens
  });
}
var init_codex_stream = __esm({
  "src/agents/codex-stream.ts"() {
    "use strict";
    init_api_fault();
    init_codex_fault();
    init_json_line();
  }
});

// src/agents/codex.ts
function autonomy(help, isEnclosed) {
  const isOld = help?.includes("--full-auto") === true;
  const own = isOld ? ["--full-auto"] : ["-s", "workspace-write"];
  const words = isEnclosed ? ["--dangerously-bypass-approvals-and-sandbox"] : own;
  const trust = isOld ? [] : [{ words: ["--skip-git-repo-check"] }];
  return [{ words, or: PERMISSIONS }, ...trust];
}
var PERMISSIONS, JSON_LINES, ANSWER_FLAGS, codex;
var init_codex = __esm({
  "src/agents/codex.ts"() {
    "use strict";
    init_codex_stream();
    init_flags();
    init_plain();
    PERMISSIONS = ["--full-auto", "-s", "--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--yolo"];
    JSON_LINES = { words: ["--json"], or: ["--experimental-json"] };
    ANSWER_FLAGS = ["-o", "--output-last-message"];
    codex = {
      name: "codex",
      title: "Codex",
      install: "npm install -g @openai/codex",
      versionArguments: ["--version"],
      helpArguments: ["exec", "--help"],
      environment: {},
      tellsCost: "tokens",
      tested: "with 0.166.0",
      commandLine: ({ command, flags, mode, help, answerFile, isEnclosed = false }) => {
        const wanted = mode === "stream" ? [JSON_LINES] : [{ words: ["-o", answerFile], or: ANSWER_FLAGS.slice(1) }];
        const own = unlessGiven([...wanted, ...autonomy(help, isEnclosed)], flags);
        return { argv: [command, "e", ...own, ...flags, "-"], promptOnStdin: true };
      },
      parser: ({ mode, flags }) => {
        if (mode === "stream") return codexParser();
        return ANSWER_FLAGS.some((flag) => holds(flags, flag)) ? plainParser() : { ...plainParser(), answersInFile: true };
      }
    };
  }
});

// src/agents/copilot-stream.ts
function copilotParser(now2 = Date.now) {
  const usage = usageSum();
  let lastWords = "";
  let failure2 = null;
  let isAborted = false;
  let callFault = null;
  const messageEvents = (line, data) => {
    usage.add(figures({ outputTokens: data.outputTokens }));
    const text = textFrom(data.content);
    if (text === "" || isOfSubAgent(line, data)) return [{ type: "progress", text: "assistant.message" }];
    lastWords = text;
    return [{ type: "text", text }];
  };
  const callFailure = (data) => {
    callFault = faultOfCall(data, now2());
    const notice = { type: "notice", text: failedCallText(data) };
    return callFault === null ? [notice] : [notice, { type: "fault", fault: callFault }];
  };
  const sessionError = (data) => {
    failure2 = textFrom(data.message, textFrom(data.errorType, "an error"));
    const isUnexplained = numberFrom(data.statusCode) === void 0;
    const fault = faultOfSession(data, now2()) ?? (isUnexplained ? callFault : null);
    return fault === null ? [] : [{ type: "fault", fault }];
  };
  const account2 = (line) => {
    const isError = line.exitCode !== 0 || isAborted;
    const reason = isError && failure2 !== null ? { reason: shortened(failure2) } : {};
    const durations = figures({ durationMs: objectFrom(line.usage).sessionDurationMs });
    return { type: "result", isError, text: lastWords, ...reason, ...usage.sum(), ...durations };
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
        failure2 = `it was aborted (${textFrom(data.reason, "no reason told")})`;
        return [];
      case "result":
        return [account2(line)];
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
      const shown = { type: "stderr", text: line };
      const [, reason] = /^Error: ((?:No authentication information found|Authentication failed).*)/.exec(line) ?? [];
      if (reason === void 0) return [shown];
      return [shown, { type: "fault", fault: { kind: "auth", reason: shortened(reason) } }];
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
var init_copilot_stream = __esm({
  "src/agents/copilot-stream.ts"() {
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

// src/agents/copilot.ts
var WANTED, copilot;
var init_copilot = __esm({
  "src/agents/copilot.ts"() {
    "use strict";
    init_copilot_stream();
    init_flags();
    init_plain();
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
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "nothing",
      tested: "with 1.0.102",
      commandLine: ({ command, flags }) => ({
        argv: [command, ...unlessGiven(WANTED, flags), ...flags],
        promptOnStdin: true
      }),
      parser: ({ flags }) => (givenValue(flags, "--output-format") ?? "json") === "json" ? copilotParser() : plainParser()
    };
  }
});

// src/agents/delta-text.ts
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
      const end2 = rest.lastIndexOf("\n");
      if (end2 >= 0) return take3(end2 + 1).slice(0, -1);
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
  "src/agents/delta-text.ts"() {
    "use strict";
    LONGEST_LINE = 1e6;
    LONGEST_LAST_WORDS = 1e4;
  }
});

// src/agents/gemini-stream.ts
function geminiParser(now2 = Date.now) {
  const words = deltaText();
  const stderr = stderrReader();
  let resetAt = null;
  let limit = null;
  const said = (text) => text === null ? [] : [{ type: "text", text }];
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
      case "message":
        return [{ type: "progress", text: textFrom(line.type) }];
      default:
        return [{ type: "unknown", raw }];
    }
  };
  const resultEvents2 = (line) => {
    const usage = usageOf3(objectFrom(line.stats));
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
function usageOf3(stats) {
  const cached = numberFrom(stats.cached);
  return figures({
    inputTokens: stats.input_tokens,
    outputTokens: stats.output_tokens,
    cacheReadTokens: cached,
    durationMs: stats.duration_ms
  });
}
var BANNERS;
var init_gemini_stream = __esm({
  "src/agents/gemini-stream.ts"() {
    "use strict";
    init_api_fault();
    init_delta_text();
    init_input_summary();
    init_json_line();
    init_reset_time();
    BANNERS = /^(?:YOLO mode is enabled|Warning: 256-color support|Ripgrep is not available|\[STARTUP\]|Loaded cached credentials)/;
  }
});

// src/agents/gemini.ts
var WANTED2, gemini;
var init_gemini = __esm({
  "src/agents/gemini.ts"() {
    "use strict";
    init_flags();
    init_gemini_stream();
    init_plain();
    WANTED2 = [
      { words: ["-o", "stream-json"], or: ["--output-format"] },
      { words: ["--approval-mode", "yolo"], or: ["-y", "--yolo"] }
    ];
    gemini = {
      name: "gemini",
      title: "Gemini CLI",
      install: "npm install -g @google/gemini-cli",
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "tokens",
      tested: "with 0.61.0",
      commandLine: ({ command, flags }) => ({
        argv: [command, ...unlessGiven(WANTED2, flags), ...flags],
        promptOnStdin: true
      }),
      parser: ({ flags }) => (givenValue(flags, "-o", "--output-format") ?? "stream-json") === "stream-json" ? geminiParser() : plainParser()
    };
  }
});

// src/agents/opencode-stream.ts
function opencodeParser(now2 = Date.now) {
  const usage = usageSum();
  let lastWords = "";
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
        lastWords = textFrom(part.text);
        return [{ type: "text", text: lastWords }];
      case "tool_use":
        return toolEvents2(part);
      case "step_finish":
        usage.add(usageOf4(part));
        if (part.reason === "tool-calls") return [{ type: "progress", text: "step_finish" }];
        return [{ type: "result", isError: false, text: lastWords, ...usage.sum() }];
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
function usageOf4(part) {
  const tokens = objectFrom(part.tokens);
  const cache = objectFrom(tokens.cache);
  return figures({
    costUsd: part.cost === 0 ? void 0 : part.cost,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: cache.read,
    cacheWriteTokens: cache.write
  });
}
var LONGEST_WAIT, HOPELESS_RETRIES, PARTS;
var init_opencode_stream = __esm({
  "src/agents/opencode-stream.ts"() {
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

// src/agents/opencode.ts
var LOG, opencode;
var init_opencode = __esm({
  "src/agents/opencode.ts"() {
    "use strict";
    init_flags();
    init_opencode_stream();
    init_plain();
    LOG = [{ words: ["--print-logs"] }, { words: ["--log-level", "ERROR"] }];
    opencode = {
      name: "opencode",
      title: "opencode",
      install: "npm install -g opencode-ai",
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "dollars",
      tested: "with 1.18.33",
      commandLine: ({ command, flags }) => {
        const wanted = unlessGiven([{ words: ["--format", "json"] }, ...LOG], flags);
        return { argv: [command, "run", ...wanted, ...flags], promptOnStdin: true };
      },
      parser: ({ flags }) => (givenValue(flags, "--format") ?? "json") === "json" ? opencodeParser() : plainParser()
    };
  }
});

// src/agents/pi-stream.ts
function piParser(now2 = Date.now) {
  const usage = usageSum();
  let lastWords = "";
  let failure2 = null;
  let held = [];
  const release = () => {
    const events = held;
    held = [];
    return events;
  };
  const messageEvents = (message) => {
    if (message.role !== "assistant") return [];
    usage.add(usageOf5(objectFrom(message.usage)));
    failure2 = failureOf2(message);
    if (failure2 !== null) return [];
    const texts = textsOf(message.content);
    if (texts.length > 0) lastWords = texts.join("\n");
    return texts.map((text) => ({ type: "text", text }));
  };
  const accountEvents = () => {
    if (failure2 === null) return [{ type: "result", isError: false, text: lastWords, ...usage.sum() }];
    const reason = shortened(messageIn(failure2));
    const account2 = { type: "result", isError: true, text: failure2, reason, ...usage.sum() };
    held = [...faultEvents2(failure2, now2()), account2];
    return [];
  };
  const retryEvents2 = (line) => {
    held = [];
    return [{ type: "notice", text: retryText2(line) }, ...faultEvents2(textFrom(line.errorMessage), now2())];
  };
  const lineEvents = (line, raw) => {
    switch (line.type) {
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
      const shown = { type: "stderr", text: line };
      if (!/^(?:No API key found|No models available|Authentication failed)\b/.test(line)) return [shown];
      return [shown, { type: "fault", fault: { kind: "auth", reason: shortened(line) } }];
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
function faultEvents2(failure2, now2) {
  const fault = faultOfErrorText(failure2, now2);
  return fault === null ? [] : [{ type: "fault", fault }];
}
function retryText2(line) {
  const count = `${numberFrom(line.attempt) ?? "?"}/${numberFrom(line.maxAttempts) ?? "?"}`;
  const delay = numberFrom(line.delayMs);
  const when = delay === void 0 ? "" : ` in ${(delay / 1e3).toFixed(1)} s`;
  return `API retry ${count}${when}: ${shortened(messageIn(textFrom(line.errorMessage)))}`;
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
  return objectsFrom(content).filter((block) => block.type === "text").map((block) => textFrom(block.text)).filter((text) => text !== "");
}
function usageOf5(usage) {
  const cost = objectFrom(usage.cost).total;
  return figures({
    costUsd: cost === 0 ? void 0 : cost,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite
  });
}
var PROGRESS, UPDATE;
var init_pi_stream = __esm({
  "src/agents/pi-stream.ts"() {
    "use strict";
    init_api_fault();
    init_error_text();
    init_input_summary();
    init_json_line();
    init_usage_sum();
    PROGRESS = /* @__PURE__ */ new Set([
      "session",
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

// src/agents/pi.ts
var WANTED3, pi;
var init_pi = __esm({
  "src/agents/pi.ts"() {
    "use strict";
    init_flags();
    init_pi_stream();
    init_plain();
    WANTED3 = [{ words: ["-p"], or: ["--print"] }, { words: ["--mode", "json"] }];
    pi = {
      name: "pi",
      title: "pi",
      install: "npm install -g @earendil-works/pi-coding-agent",
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "dollars",
      tested: "with 0.74.2 and 0.87.1",
      commandLine: ({ command, flags }) => ({
        argv: [command, ...unlessGiven(WANTED3, flags), ...flags],
        promptOnStdin: true
      }),
      parser: ({ flags }) => (givenValue(flags, "--mode") ?? "json") === "json" ? piParser() : plainParser()
    };
  }
});

// src/agents/qwen-stream.ts
function qwenParser(now2 = Date.now) {
  const claude2 = claudeParser();
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
        const failure2 = apiError ?? errorIn(event.reason ?? "") ?? event.reason;
        return failure2 === void 0 ? [event] : failed(event, failure2, now2());
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
function failed(event, failure2, now2) {
  const fault = faultOf3(failure2, now2);
  const account2 = { ...event, isError: true, reason: shortened(failure2) };
  return fault === null ? [account2] : [{ type: "fault", fault }, account2];
}
function faultOf3(failure2, now2) {
  if (/\bauth type is selected\b|\bmissing API key\b/i.test(failure2))
    return { kind: "auth", reason: shortened(failure2) };
  return faultOfErrorText(failure2, now2);
}
function withoutError(text, line) {
  const start = Math.max(0, text.lastIndexOf("[API Error: "));
  const error = errorIn(text.slice(start));
  if (error === null || hasUsage(line)) return { words: text, error: null };
  return { words: text.slice(0, start), error };
}
function errorIn(text) {
  return /^\[API Error: ([\s\S]*)\](?:\n[^\n]*)?$/.exec(text)?.[1] ?? null;
}
function hasUsage(line) {
  const message = objectFrom(parseObject(line)?.message);
  return (numberFrom(objectFrom(message.usage).output_tokens) ?? 0) > 0;
}
var LONGEST_OWN_PAUSE, HOPELESS_ATTEMPT, BANNERS2;
var init_qwen_stream = __esm({
  "src/agents/qwen-stream.ts"() {
    "use strict";
    init_api_fault();
    init_claude_stream();
    init_error_text();
    init_json_line();
    LONGEST_OWN_PAUSE = 5 * 6e4;
    HOPELESS_ATTEMPT = 7;
    BANNERS2 = /^(?:Ripgrep (?:is )?not available|Warning: running headless with --yolo)/;
  }
});

// src/agents/qwen.ts
var WANTED4, qwen;
var init_qwen = __esm({
  "src/agents/qwen.ts"() {
    "use strict";
    init_flags();
    init_plain();
    init_qwen_stream();
    WANTED4 = [
      { words: ["-o", "stream-json"], or: ["--output-format"] },
      // Without a terminal it refuses every tool that it would ask about.
      { words: ["-y"], or: ["--yolo", "--approval-mode"] }
    ];
    qwen = {
      name: "qwen",
      title: "Qwen Code",
      install: "npm install -g @qwen-code/qwen-code",
      versionArguments: ["--version"],
      helpArguments: null,
      // At a limit it would repeat its calls for an hour without a word; with this it tells that it waits, and is ended.
      environment: { QWEN_CODE_UNATTENDED_RETRY: "1" },
      tellsCost: "tokens",
      tested: "with 0.15.10 and 0.24.4",
      commandLine: ({ command, flags }) => ({
        argv: [command, ...unlessGiven(WANTED4, flags), ...flags],
        promptOnStdin: true
      }),
      parser: ({ flags }) => (givenValue(flags, "-o", "--output-format") ?? "stream-json") === "stream-json" ? qwenParser() : { ...plainParser(), parseStderr: (line) => qwenStderr(line, Date.now()) }
    };
  }
});

// src/agents/scripted.ts
var scripted;
var init_scripted = __esm({
  "src/agents/scripted.ts"() {
    "use strict";
    init_claude_stream();
    scripted = {
      name: "scripted",
      title: "the scripted agent",
      install: null,
      versionArguments: ["--version"],
      helpArguments: null,
      environment: {},
      tellsCost: "nothing",
      tested: "in the demo",
      commandLine: ({ command, flags, prompt: prompt2 }) => ({ argv: [command, ...flags, "-p", prompt2], promptOnStdin: false }),
      parser: claudeParser
    };
  }
});

// src/agents/find.ts
function adapterFor(command) {
  return BY_COMMAND.get((0, import_node_path16.basename)(command)) ?? plain;
}
var import_node_path16, AGENTS, BY_COMMAND;
var init_find = __esm({
  "src/agents/find.ts"() {
    "use strict";
    import_node_path16 = require("node:path");
    init_amp();
    init_claude();
    init_codex();
    init_copilot();
    init_gemini();
    init_opencode();
    init_pi();
    init_plain();
    init_qwen();
    init_scripted();
    AGENTS = [claude, codex, gemini, opencode, copilot, qwen, pi, amp];
    BY_COMMAND = new Map([
      ...AGENTS.map((adapter) => [adapter.name, adapter]),
      ["scripted-agent.cjs", scripted]
    ]);
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
    const end2 = closing2?.index ?? pending.length;
    const lineBreak = multiline ? -1 : pending.indexOf("\n", searched);
    const isBroken = lineBreak >= 0 && lineBreak < end2;
    const isTooLong = end2 - inside > LONGEST_CONTENT + (closing2 === null ? closeLength - 1 : 0);
    if (isBroken || isTooLong) return findOpening(inside);
    if (closing2 !== null) found = pending.slice(inside, end2);
    else {
      searched = Math.max(inside, pending.length - closeLength + 1);
      pending = pending.slice(inside - openLength);
      searched -= inside - openLength;
      inside = openLength;
    }
    return false;
  };
  return {
    hear(text) {
      if (found !== null || pending === "" && !text.includes("<")) return;
      pending += text;
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
  const expected = prompt2.replaceAll("\r\n", "\n").replaceAll(/^\n+|\n+$/g, "").split("\n");
  const [first = "", ...rest] = expected;
  const last = rest.at(-1);
  if (first.trim() === "" && last === void 0)
    return { push: (line) => [line], mayConcern: () => false, end: () => [] };
  if (last === void 0) {
    return { push: (line) => [line.replaceAll(first, "")], mayConcern: () => false, end: () => [] };
  }
  const fallback = fallbacks(expected);
  let held = [];
  const fits = (line, at) => {
    const wanted = expected[at] ?? "";
    if (at === 0) return line.endsWith(wanted);
    return at === expected.length - 1 ? line.startsWith(wanted) : line === wanted;
  };
  const push = (raw) => {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const released = [];
    while (held.length > 0 && !fits(line, held.length)) {
      const keep = fallback[held.length - 1] ?? 0;
      released.push(...held.splice(0, held.length - keep));
    }
    if (!fits(line, held.length)) return [...released, raw];
    held.push(line);
    if (held.length < expected.length) return released;
    const [beginning = ""] = held;
    const before = beginning.slice(0, beginning.length - first.length);
    held = [];
    return [...released, ...before === "" ? [] : [before], line.slice(last.length)];
  };
  return {
    push,
    mayConcern: (lines) => held.length > 0 || lines.includes(first),
    end() {
      const unfinished = held;
      held = [];
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
  let held = 0;
  let skipping = false;
  const hold = (piece) => {
    if (skipping || piece.length === 0) return;
    parts.push(Buffer.from(piece));
    held += piece.length;
    if (held <= limit) return;
    sink.onLongLine?.(Buffer.concat(parts));
    parts = [];
    held = 0;
    skipping = true;
  };
  const emit = (last) => {
    if (skipping) {
      skipping = false;
      return;
    }
    if (held === 0) {
      sink.onLine(last);
      return;
    }
    parts.push(last);
    const line = Buffer.concat(parts, held + last.length);
    parts = [];
    held = 0;
    sink.onLine(line);
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end2 = chunk.indexOf(LF3); end2 >= 0; end2 = chunk.indexOf(LF3, start)) {
        emit(chunk.subarray(start, end2));
        start = end2 + 1;
      }
      hold(chunk.subarray(start));
    },
    /** The stream is over: what is held is a last line without its LF. */
    end() {
      if (held > 0) emit(Buffer.alloc(0));
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
    const text = decodeUtf8(lines);
    for (let start = 0; start < text.length; ) {
      const end2 = text.indexOf("\n", start);
      onLine(text.slice(start, end2));
      start = end2 + 1;
    }
  };
  return {
    push(chunk) {
      const begin2 = chunk.indexOf(LF4) + 1;
      const end2 = chunk.lastIndexOf(LF4) + 1;
      cut3.push(begin2 === 0 ? chunk : chunk.subarray(0, begin2));
      for (let start = begin2; start < end2; ) {
        const stop = endOfLines(chunk, start, end2);
        takeAll(chunk.subarray(start, stop));
        start = stop;
      }
      if (begin2 > 0) cut3.push(chunk.subarray(end2));
    },
    end: () => cut3.end()
  };
}
function endOfLines(chunk, start, end2) {
  if (end2 - start <= DECODED_AT_ONCE) return end2;
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

// src/agents/hearing.ts
function hear(parser, listen, prompt2, audience) {
  const tag = listenForTag(listen.tag, listen.multiline);
  const echo = parser.hasStructure ? null : withoutEcho(prompt2);
  let firstLine2 = null;
  let account2 = null;
  let hasSpoken = false;
  let fault = null;
  let toolCalls = 0;
  const hearText = (text) => {
    firstLine2 ??= firstLineOf(text);
    tag.hear(text);
    tag.hear("\n");
  };
  const take3 = (event) => {
    hasSpoken ||= event.type !== "unknown" && event.type !== "stderr";
    if (event.type === "tool-start") toolCalls++;
    if (event.type === "fault") fault = graver(fault, event.fault);
    else if (event.type === "text" || event.type === "tool-start") fault = null;
    if (event.type === "text") {
      for (const text of echo === null ? [event.text] : echo.push(event.text)) hearText(text);
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
      for (const event of parser.parseStderr?.(line) ?? [{ type: "stderr", text: line }]) take3(event);
    },
    end() {
      lines.end();
      for (const event of parser.end?.() ?? []) take3(event);
      for (const text of echo?.end() ?? []) hearText(text);
      return {
        // A structured account holds the agent's last words; what it said on the way is not its answer.
        said: { tag: tag.heard(), firstLine: firstLineOf(account2?.text ?? "") ?? firstLine2 },
        account: account2,
        brokeOff: parser.hasStructure && hasSpoken && account2 === null,
        fault,
        toolCalls: parser.hasStructure ? toolCalls : null
      };
    }
  };
}
function graver(before, now2) {
  return before !== null && gravity(before) > gravity(now2) ? before : now2;
}
function gravity(fault) {
  if (fault.kind === "infrastructure") return 0;
  return fault.kind === "limit" && fault.resetAt === null ? 1 : 2;
}
function firstLineOf(text) {
  return text.split("\n").map((line) => line.trim()).find((line) => line !== "") ?? null;
}
function isWarning({ type }) {
  return type === "stderr" || type === "notice" || type === "fault";
}
var LONGEST_RECORDED_TEXT, LESS_THAN;
var init_hearing = __esm({
  "src/agents/hearing.ts"() {
    "use strict";
    init_tag();
    init_without_echo();
    init_text_lines();
    LONGEST_RECORDED_TEXT = 2e3;
    LESS_THAN = 60;
  }
});

// src/agents/help.ts
function helpOf(adapter, program2, env) {
  if (adapter.helpArguments === null || program2 === null) return null;
  const known = asked.get(program2);
  if (known !== void 0) return known;
  const { status, stdout } = (0, import_node_child_process6.spawnSync)(program2, adapter.helpArguments, {
    env: { ...adapter.environment, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: ANSWER_WITHIN_MS
  });
  const help = status === 0 ? stdout : null;
  asked.set(program2, help);
  return help;
}
var import_node_child_process6, ANSWER_WITHIN_MS, asked;
var init_help = __esm({
  "src/agents/help.ts"() {
    "use strict";
    import_node_child_process6 = require("node:child_process");
    ANSWER_WITHIN_MS = 2e4;
    asked = /* @__PURE__ */ new Map();
  }
});

// src/agents/judge.ts
function judgeRun(exit, { account: account2, brokeOff, fault }) {
  if (exit.by === "unseen" && account2 === null) {
    return { kind: "interrupted", reason: "it ended while nobody watched, without a final result" };
  }
  const succeeded = exit.by === "unseen" || exit.by === "code" && exit.code === 0;
  if (succeeded && account2?.isError !== true && !brokeOff) return { kind: "worked" };
  if (fault !== null) return fault;
  if (account2?.isError === true) return { kind: "failed", exit, reason: account2.reason ?? REPORTED };
  return succeeded ? { kind: "failed", exit, reason: BROKE_OFF } : { kind: "failed", exit };
}
var REPORTED, BROKE_OFF;
var init_judge = __esm({
  "src/agents/judge.ts"() {
    "use strict";
    REPORTED = "it reported an error";
    BROKE_OFF = "its output broke off before its final result";
  }
});

// src/process/which.ts
function findProgram(command, path, cwd) {
  const folders = command.includes("/") ? ["."] : (path ?? "").split(import_node_path17.delimiter);
  for (const folder of folders) {
    const candidate = (0, import_node_path17.resolve)(cwd, folder, command);
    if (isProgram(candidate)) return candidate;
  }
  return null;
}
function isProgram(file) {
  try {
    (0, import_node_fs23.accessSync)(file, import_node_fs23.constants.X_OK);
    return (0, import_node_fs23.statSync)(file).isFile() && hasInterpreter(file);
  } catch {
    return false;
  }
}
function hasInterpreter(file) {
  const buffer = Buffer.alloc(256);
  const fd = (0, import_node_fs23.openSync)(file, "r");
  try {
    const head = buffer.toString("utf8", 0, (0, import_node_fs23.readSync)(fd, buffer));
    const interpreter = /^#!\s*(\S+)/.exec(head)?.[1];
    if (interpreter !== void 0) (0, import_node_fs23.accessSync)((0, import_node_path17.resolve)(interpreter), import_node_fs23.constants.X_OK);
    return true;
  } finally {
    (0, import_node_fs23.closeSync)(fd);
  }
}
var import_node_fs23, import_node_path17;
var init_which = __esm({
  "src/process/which.ts"() {
    "use strict";
    import_node_fs23 = require("node:fs");
    import_node_path17 = require("node:path");
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

// src/state/plain-file.ts
function readPlain(path) {
  return readPlainBytes(path)?.toString("utf8") ?? null;
}
function readPlainBytes(path, largest = LARGEST) {
  try {
    return contentOf(openPlain(path, O_NOFOLLOW), path, largest);
  } catch (error) {
    if (error instanceof RalphError || ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(errnoOf(error) ?? ""))
      return null;
    throw error;
  }
}
function openPlain(path, flags = 0) {
  const fd = openAny(path, flags);
  if ((0, import_node_fs24.fstatSync)(fd).isFile()) return fd;
  (0, import_node_fs24.closeSync)(fd);
  throw notPlain(path);
}
function openAny(path, flags) {
  try {
    return (0, import_node_fs24.openSync)(path, O_RDONLY | O_NONBLOCK | flags);
  } catch (error) {
    throw ["ENXIO", "ENODEV"].includes(errnoOf(error) ?? "") ? notPlain(path) : error;
  }
}
function contentOf(fd, path, largest) {
  try {
    if ((0, import_node_fs24.fstatSync)(fd).size > largest) throw new RalphError("PLAIN_FILE", `${path} is too large`, { exitCode: 2 });
    return (0, import_node_fs24.readFileSync)(fd);
  } finally {
    (0, import_node_fs24.closeSync)(fd);
  }
}
function notPlain(path) {
  return new RalphError("PLAIN_FILE", `${path} is not a plain file`, { exitCode: 2 });
}
var import_node_fs24, LARGEST, O_RDONLY, O_NONBLOCK, O_NOFOLLOW;
var init_plain_file = __esm({
  "src/state/plain-file.ts"() {
    "use strict";
    import_node_fs24 = require("node:fs");
    init_error();
    LARGEST = 16 * 1024 * 1024;
    ({ O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = import_node_fs24.constants);
  }
});

// src/engine/idle-limit.ts
function idleLimit(files, idleMs) {
  const quiet = new AbortController();
  const expired = () => quiet.signal.aborted && idleMs !== void 0 ? { by: "timeout", afterMs: idleMs } : null;
  if (idleMs === void 0) return { signal: quiet.signal, expired, close: nothing };
  let size = sizeOf(files);
  let grewAt = performance.now();
  const look = () => {
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
  const timer = setInterval(look, Math.min(LOOK_AT_LEAST_EVERY, Math.max(LOOK_AT_MOST_EVERY, idleMs / 4)));
  return { signal: quiet.signal, expired, close: () => clearInterval(timer) };
}
function sizeOf(files) {
  return files.reduce((sum, file) => sum + ((0, import_node_fs25.statSync)(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
function nothing() {
}
var import_node_fs25, LOOK_AT_LEAST_EVERY, LOOK_AT_MOST_EVERY;
var init_idle_limit = __esm({
  "src/engine/idle-limit.ts"() {
    "use strict";
    import_node_fs25 = require("node:fs");
    LOOK_AT_LEAST_EVERY = 250;
    LOOK_AT_MOST_EVERY = 50;
  }
});

// src/engine/perform-run.ts
async function startRun(local, action) {
  const { cwd, host, runner, loop, shelf, promptsOnStdin = false } = local;
  const { run, agent } = action;
  const program2 = findProgram(agent.command, host.env.PATH, cwd);
  if (program2 === null) {
    return unstartable(local, agent.command, `agent command not found: ${agent.command}`);
  }
  const key = runName(run);
  const { folder, name, isNew } = claimRun(loop.folder, key);
  const started = { kind: "started", handle: { runner: runner.name, name } };
  if (!isNew) return started;
  const shelved = await shelf?.open(run, name, action.prompt) ?? null;
  const prompt2 = shelved?.prompt ?? action.prompt;
  const adapter = adapterFor(agent.command);
  const help = helpOf(adapter, program2, host.env);
  const answerFile = (0, import_node_path18.join)(folder, answerName(name));
  const { argv, promptOnStdin } = adapter.commandLine({
    ...agent,
    prompt: prompt2,
    help,
    answerFile,
    wantsStdin: promptsOnStdin,
    isEnclosed: host.enclosure !== void 0
  });
  const promptFile = shelved?.promptFile ?? promptName(name);
  if (shelved === null && (promptOnStdin || !adapter.parser(agent).hasStructure)) {
    (0, import_node_fs26.writeFileSync)((0, import_node_path18.join)(folder, promptFile), prompt2, { mode: 384 });
  }
  const env = { ...adapter.environment, ...host.env, ...shelved?.env, ...keyEnvironment(loop.id, key, 1) };
  const stdin = promptOnStdin ? { stdin: promptFile } : {};
  const place = shelved === null ? {} : { transcript: shelved.transcript };
  try {
    const mark2 = markOf(loop.id, key, 1);
    const writes = argv.includes(answerFile) ? { writes: [answerFile] } : {};
    const { pid } = await runner.start({ folder, name, mark: mark2, argv, cwd, env, ...stdin, ...writes, ...place });
    await shelf?.started(name, pid, argv);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    await shelf?.refused(name, error.message);
    return unstartable(local, agent.command, error.message);
  }
  return started;
}
async function awaitRun(local, action, at) {
  const { run, agent, handle, listen, timeoutMs, idleMs } = action;
  const { name } = handle;
  const folder = runsFolder(local.loop.folder);
  const shelved = local.shelf?.find(name) ?? null;
  const place = shelved === null ? {} : { transcript: shelved.transcript };
  const files = { folder, name, mark: markOf(local.loop.id, runName(run), 1), ...place };
  const output = transcriptOf(files);
  const limit = timeLimit(timeoutMs, at.signal);
  const idle = idleLimit([(0, import_node_path18.join)(output.folder, output.stdout), (0, import_node_path18.join)(output.folder, output.stderr)], idleMs);
  const parser = adapterFor(agent.command).parser(agent);
  const promptFile = shelved?.promptFile ?? (0, import_node_path18.join)(folder, promptName(name));
  const prompt2 = parser.hasStructure ? "" : readPlain(promptFile) ?? "";
  const hopeless = new AbortController();
  const show = (event) => {
    at.progress(event);
    if (event.type === "fault" && event.isHopeless === true) hopeless.abort();
  };
  const hearing = hear(parser, listen, prompt2, { show, watches: agent.mode === "stream" });
  const stderr = lineSplitter({ onLine: (line) => hearing.pushStderr(line.toString("utf8")) });
  let bytes = 0;
  let refusals = 0;
  const exit = await local.runner.await(files, {
    onOutput: (chunk) => {
      bytes += chunk.length;
      if (parser.answersInFile !== true) hearing.push(chunk);
    },
    onStderr: (chunk) => stderr.push(chunk),
    onRefusal: (text) => {
      refusals++;
      at.progress({ type: "refusal", text });
    },
    ready: at.ready,
    signal: AbortSignal.any([limit.signal, idle.signal, hopeless.signal])
  });
  idle.close();
  stderr.end();
  if (parser.answersInFile === true) hearing.push(readIfThere((0, import_node_path18.join)(folder, answerName(name))));
  const heard = hearing.end();
  await local.shelf?.ended(name, { exit, cutOff: cutOff(at.signal, idle.expired(), limit.expired()) });
  if (at.signal.aborted) return INTERRUPTED;
  const { said, account: account2, toolCalls } = heard;
  const ran = {
    outcome: judgeRun(limit.expired() ?? idle.expired() ?? exit, heard),
    said,
    transcript: {
      path: shelved === null ? (0, import_node_path18.join)("runs", outputFile(name)) : (0, import_node_path18.join)(output.folder, output.stdout),
      bytes
    },
    ...account2 === null ? {} : { account: account2 },
    ...idle.expired() === null ? {} : { endedBy: "inactivity" },
    ...toolCalls === null ? {} : { toolCalls },
    ...refusals === 0 ? {} : { refusals }
  };
  return { kind: "ran", ...ran };
}
function cutOff(cancel, idle, total) {
  if (cancel.aborted) return "cancelled";
  if (idle !== null) return "idle";
  return total === null ? null : "total";
}
function unstartable({ choosingHint }, command, reason) {
  const { install } = adapterFor(command);
  const how = install === null ? "Install it" : `Install it (${install})`;
  const hint = `${how}, or ${choosingHint ?? "set agent.command in .ralph/settings.json to the program you use."}`;
  return { kind: "unstartable", reason, hint };
}
function promptName(name) {
  return `${name}.prompt`;
}
function answerName(name) {
  return `${name}.answer`;
}
function readIfThere(path) {
  return (0, import_node_fs26.existsSync)(path) ? (0, import_node_fs26.readFileSync)(path) : Buffer.alloc(0);
}
var import_node_fs26, import_node_path18;
var init_perform_run = __esm({
  "src/engine/perform-run.ts"() {
    "use strict";
    import_node_fs26 = require("node:fs");
    import_node_path18 = require("node:path");
    init_find();
    init_hearing();
    init_help();
    init_judge();
    init_keys();
    init_launch();
    init_which();
    init_runner();
    init_plain_file();
    init_run_files();
    init_lines();
    init_idle_limit();
    init_local();
  }
});

// src/engine/performers.ts
function localPerformers(local) {
  return async (action, at) => {
    switch (action.do) {
      case "read-inputs":
        return { result: local.readInputs(action.known), attempt: 1 };
      case "start":
        return { result: await startRun(local, action), attempt: 1 };
      case "await":
        return { result: await awaitRun(local, action, at), attempt: 1 };
      case "check":
        return performCheck(local, action, at);
      case "publish":
        return performPublish(local, action, at);
      case "step":
        throw new Error("whoever has steps of its own brings a performer for them");
      case "wait":
        return { result: await waitUntil(action.until, local.now, at.signal), attempt: 1 };
      case "end":
        throw new Error("a loop ends in its driver, not in a performer");
    }
  };
}
async function waitUntil(until, now2, signal) {
  if (until === "command") throw new Error("this door takes no commands");
  const rest = until === "now" ? 0 : until - now2();
  if (rest <= 0) return { kind: "waited" };
  try {
    await (0, import_promises5.setTimeout)(rest, void 0, { signal });
    return { kind: "waited" };
  } catch {
    return { kind: "interrupted", reason: "told to stop while waiting" };
  }
}
var import_promises5;
var init_performers = __esm({
  "src/engine/performers.ts"() {
    "use strict";
    import_promises5 = require("node:timers/promises");
    init_perform_command();
    init_perform_run();
  }
});

// src/engine/waiting.ts
function waitForOrders(until, { loop, now: now2, signal }) {
  return new Promise((resolve10) => {
    let timer;
    const finish = (result) => {
      clearTimeout(timer);
      stopWatching();
      signal.removeEventListener("abort", abandon);
      resolve10(result);
    };
    const abandon = () => finish({ kind: "interrupted", reason: "told to stop while waiting" });
    const look = () => {
      const command = commandIn(readOrder(loop), until);
      const rest = typeof until === "number" ? until - now2() : 0;
      if (signal.aborted) abandon();
      else if (command !== void 0) finish({ kind: "waited", command });
      else if (until !== "command" && rest <= 0) finish({ kind: "waited" });
      else if (until !== "command") {
        clearTimeout(timer);
        timer = setTimeout(look, Math.min(rest, LONGEST_TIMER2));
      }
    };
    const stopWatching = watchOrders(loop, look);
    signal.addEventListener("abort", abandon, { once: true });
    look();
  });
}
function commandIn(order, until) {
  if (order === "stop") return "stop";
  if (until === "command") return order === "run" ? "resume" : void 0;
  return order === "pause" ? "pause" : void 0;
}
var LONGEST_TIMER2;
var init_waiting = __esm({
  "src/engine/waiting.ts"() {
    "use strict";
    init_orders();
    LONGEST_TIMER2 = 2 ** 31 - 1;
  }
});

// src/process/containment.ts
function strongestContainment(choose) {
  return take2("cgroup", choose) ?? take2("pid-namespace") ?? { rung: "group" };
}
function containmentOf(rung, choose) {
  const containment = take2(rung, choose);
  if (containment !== null) return containment;
  throw new RalphError("CONTAINMENT", `this machine cannot contain a run by "${rung}"`, {
    hint: "Leave RALPH_CONTAINMENT unset to take the strongest way that works here.",
    exitCode: 2
  });
}
function take2(rung, choose) {
  if (rung === "group") return { rung };
  if (process.platform !== "linux") return null;
  if (rung === "cgroup") {
    const home = findCgroupHome(choose);
    return home === null ? null : { rung, home };
  }
  const asRoot = process.getuid?.() === 0;
  return pidNamespacesWork(asRoot) ? { rung, asRoot } : null;
}
var RUNGS;
var init_containment = __esm({
  "src/process/containment.ts"() {
    "use strict";
    init_error();
    init_cgroup();
    init_pid_namespace();
    RUNGS = ["cgroup", "pid-namespace", "group"];
  }
});

// src/process/host.ts
function thisHost(env, rung) {
  const containment = rung === null ? strongestContainment() : containmentOf(rung);
  return { place: thisPlace3(), containment, env, mask: maskFor(env) };
}
var init_host = __esm({
  "src/process/host.ts"() {
    "use strict";
    init_mask();
    init_containment();
    init_identity();
  }
});

// src/process/eyes.ts
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
var init_eyes = __esm({
  "src/process/eyes.ts"() {
    "use strict";
    init_follow();
  }
});

// src/process/spawner.ts
function openSpawner(env, startsWithout = STARTS_WITHOUT) {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !PERL_VARIABLE.test(name)));
  let state = { is: "not-begun", starts: 0 };
  const begin2 = () => {
    const child = (0, import_node_child_process7.spawn)("setpriv", ["--pdeathsig", "KILL", "--", "perl", "-e", PROGRAM], {
      env: own,
      // A session of its own: no terminal, and no signal from one.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"]
    });
    state = { is: "coming", child };
    let rest = "";
    child.stdout.on("data", (chunk) => {
      const lines = `${rest}${chunk.toString("latin1")}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) hear2(line, child);
    });
    child.stdin.on("error", ignored);
    child.on("error", ignored);
    child.stdout.once("close", gone);
  };
  const hear2 = (line, child) => {
    if (state.is === "coming") state = { is: "idle", child };
    if (state.is !== "busy") return;
    const { run } = state;
    const number = Number(line.slice(1));
    if (line.startsWith("p")) {
      run.started(number);
      return;
    }
    state = { is: "idle", child };
    if (line.startsWith("x")) run.exited(exitOf2(number));
    else run.refused(number);
  };
  const gone = () => {
    const last = state;
    state = { is: "gone" };
    if (last.is !== "busy") return;
    last.run.started(null);
    last.run.exited({ by: "unseen" });
  };
  return {
    start(request) {
      if (state.is === "not-begun") {
        state = { is: "not-begun", starts: state.starts + 1 };
        if (state.starts >= startsWithout) begin2();
        return null;
      }
      if (state.is !== "idle") return null;
      const bytes = encoded(request, own);
      if (bytes === null) return null;
      const { child } = state;
      return new Promise((resolve10, reject) => {
        const exited = new Promise((end2) => {
          state = {
            is: "busy",
            child,
            run: {
              started: (pid) => resolve10({ pid, exited }),
              refused: (errno) => reject(new Error(`spawn ${request.argv[0]} ${(0, import_node_util2.getSystemErrorName)(-errno)}`)),
              exited: end2
            }
          };
        });
        child.stdin.write(bytes);
      });
    },
    async close() {
      if (state.is === "not-begun" || state.is === "gone") return;
      const { child, is: is2 } = state;
      child.stdin.end();
      if (is2 !== "busy") await new Promise((resolve10) => child.once("close", resolve10));
    }
  };
}
function encoded({ argv, cwd, env, leaf, stdin, stdout, stderr }, own) {
  const words = [leaf, cwd, stdin, stdout, stderr, String(argv.length), ...argv, ...differences(own, env)];
  if (words.some((word) => word.includes("\0"))) return null;
  const body = Buffer.from(words.join("\0"));
  return Buffer.concat([Buffer.from(`run ${body.length}
`), body]);
}
function differences(own, env) {
  const gone = Object.keys(own).filter((name) => env[name] === void 0);
  const set = Object.entries(env).filter(([name, value]) => value !== void 0 && value !== own[name]);
  return [...gone, ...set.map(([name, value]) => `${name}=${value}`)];
}
function exitOf2(status) {
  const signal = status & 127;
  if (signal === 0) return { by: "code", code: status >> 8 };
  const [name] = Object.entries(import_node_os5.constants.signals).find(([, number]) => number === signal) ?? ["unknown"];
  return { by: "signal", signal: name };
}
function ignored() {
}
var import_node_child_process7, import_node_os5, import_node_util2, STARTS_WITHOUT, PERL_VARIABLE, PROGRAM;
var init_spawner = __esm({
  "src/process/spawner.ts"() {
    "use strict";
    import_node_child_process7 = require("node:child_process");
    import_node_os5 = require("node:os");
    import_node_util2 = require("node:util");
    STARTS_WITHOUT = 2;
    PERL_VARIABLE = /^PERL/;
    PROGRAM = String.raw`
  sub refuse { syswrite $said, $! + 0; exit }
  sub become {
    open STDERR, '>>', '/dev/null';
    exec { '/' } '/';
    my ($length, $request) = (0, '');
    until ($length and length $request == $length) {
      sysread STDIN, $request, 8192, length $request or exit;
      $length = $1 + length $& if !$length and $request =~ /^run (\d+)\n/;
    }
    syswrite $said, 's';
    my ($leaf, $cwd, $in, $out, $err, $words, @rest) = split /\0/, substr($request, index($request, "\n") + 1), -1;
    open STDIN, '>', "$leaf/cgroup.procs" or refuse;
    syswrite STDIN, '0' or refuse;
    setpgrp;
    chdir $cwd or refuse;
    my $umask = umask 077;
    open STDIN, '<', $in or refuse;
    open STDOUT, '>>', $out or refuse;
    open STDERR, '>>', $err or refuse;
    umask $umask;
    my @argv = splice @rest, 0, $words;
    for (@rest) {
      my ($name, $value) = split /=/, $_, 2;
      defined $value ? ($ENV{$name} = $value) : delete $ENV{$name};
    }
    exec { $argv[0] } @argv or refuse;
  }
  syswrite STDOUT, "ready\n" or exit;
  for (;;) {
    pipe my $hear, $said or exit;
    defined(my $pid = fork) or exit;
    $pid or become;
    close $said;
    my $heard = '';
    1 while sysread $hear, $heard, 64, length $heard;
    $heard or exit;
    $heard eq 's' and (syswrite STDOUT, "p$pid\n" or exit);
    waitpid $pid, 0;
    syswrite STDOUT, $heard eq 's' ? "x$?\n" : "$heard\n" or exit;
  }
`;
  }
});

// src/runners/direct.ts
function directRunner({ host, grace, tethered = false }) {
  const children = /* @__PURE__ */ new Map();
  const eyes = openEyes();
  const spawner = openSpawner(host.env);
  return {
    name: "direct",
    async start(run) {
      const { folder, mark: mark2, argv, cwd, env, stdin } = run;
      const output = transcriptOf(run);
      const files = {
        stdout: (0, import_node_path19.join)(output.folder, output.stdout),
        stderr: (0, import_node_path19.join)(output.folder, output.stderr),
        ...stdin === void 0 ? {} : { stdin }
      };
      const spec = { argv, cwd, env, folder, mark: mark2, containment: host.containment, tethered, spawner, ...files };
      const launched = await launch(spec, host.place);
      children.set(mark2, launched);
      return { pid: launched.pid };
    },
    async await(run, watch2) {
      const { folder, mark: mark2 } = run;
      const child = children.get(mark2);
      const output = transcriptOf(run);
      const { following, done } = eyes.on(output.folder);
      if (child === void 0) {
        const orphan = readTrace(folder, mark2);
        if (orphan !== null) await endRun(orphan, grace);
        await readWhole(output, watch2, following);
        done();
        return { by: "unseen" };
      }
      const { trace, exited } = child;
      const follower = follow(output.folder, filesOf(output, watch2), following, watch2.ready);
      try {
        const exit = await endOnAbort(trace, { signal: watch2.signal, grace }, () => exited);
        await sweep(trace);
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
      await spawner.close();
    }
  };
}
async function readWhole(output, watch2, following) {
  const follower = follow(output.folder, filesOf(output, watch2), following, watch2.ready);
  await follower.drain();
  follower.close();
}
function filesOf({ folder, stdout, stderr }, watch2) {
  const files = [
    { name: stdout, onChunk: (chunk) => watch2.onOutput(chunk) },
    { name: stderr, onChunk: (chunk) => watch2.onStderr(chunk) }
  ];
  return files.filter(({ name }) => (0, import_node_fs27.existsSync)((0, import_node_path19.join)(folder, name)));
}
var import_node_fs27, import_node_path19;
var init_direct = __esm({
  "src/runners/direct.ts"() {
    "use strict";
    import_node_fs27 = require("node:fs");
    import_node_path19 = require("node:path");
    init_end();
    init_end_on_abort();
    init_eyes();
    init_follow();
    init_launch();
    init_spawner();
    init_trace();
    init_runner();
  }
});

// src/scm/exclude.ts
function excludeFromGit(cwd, pattern) {
  const gitFolder = findGitFolder(cwd);
  if (gitFolder === null) return;
  const path = (0, import_node_path20.join)(gitFolder, "info", "exclude");
  const present = readIfThere2(path);
  if (present.split("\n").includes(pattern)) return;
  (0, import_node_fs28.mkdirSync)((0, import_node_path20.dirname)(path), { recursive: true });
  (0, import_node_fs28.appendFileSync)(path, `${present === "" || present.endsWith("\n") ? "" : "\n"}${pattern}
`);
}
function findGitFolder(from) {
  for (let folder = (0, import_node_path20.resolve)(from); ; folder = (0, import_node_path20.dirname)(folder)) {
    const candidate = (0, import_node_path20.join)(folder, ".git");
    const stat = (0, import_node_fs28.statSync)(candidate, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return candidate;
    if (stat?.isFile()) {
      const linked = (0, import_node_path20.resolve)(
        folder,
        (0, import_node_fs28.readFileSync)(candidate, "utf8").replace(/^gitdir:\s*/, "").trim()
      );
      const common = readIfThere2((0, import_node_path20.join)(linked, "commondir")).trim();
      return common === "" ? linked : (0, import_node_path20.resolve)(linked, common);
    }
    if (folder === (0, import_node_path20.dirname)(folder)) return null;
  }
}
function readIfThere2(path) {
  try {
    return (0, import_node_fs28.readFileSync)(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}
var import_node_fs28, import_node_path20;
var init_exclude = __esm({
  "src/scm/exclude.ts"() {
    "use strict";
    import_node_fs28 = require("node:fs");
    import_node_path20 = require("node:path");
    init_error();
  }
});

// src/state/loop-id.ts
function newLoopId(now2) {
  const stamp = new Date(now2).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const random = Math.floor(Math.random() * 2 ** 32).toString(16);
  return `${stamp}-${random.padStart(8, "0")}`;
}
var init_loop_id = __esm({
  "src/state/loop-id.ts"() {
    "use strict";
  }
});

// src/doors/stories/copies.ts
function copiesIn(loop) {
  const folder = (0, import_node_path21.join)(loop, "copies");
  const kept2 = /* @__PURE__ */ new Map();
  const read = (name) => {
    if (name === null) return null;
    const known = kept2.get(name) ?? readChecked((0, import_node_path21.join)(folder, name), name);
    kept2.set(name, known);
    return known;
  };
  return {
    keep(content) {
      if (content === null) return null;
      const name = nameOf(content);
      if (!kept2.has(name)) {
        makePrivateFolder(folder);
        writeProjection((0, import_node_path21.join)(folder, name), content);
        kept2.set(name, Buffer.from(content));
      }
      return name;
    },
    read,
    text: (name) => read(name)?.toString("utf8") ?? null
  };
}
function nameOf(content) {
  return (0, import_node_crypto.createHash)("sha256").update(content).digest("hex");
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
    return (0, import_node_fs29.readFileSync)(path);
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR", "EACCES", "ELOOP"].includes(errnoOf(error) ?? "")) return null;
    throw error;
  }
}
var import_node_crypto, import_node_fs29, import_node_path21;
var init_copies = __esm({
  "src/doors/stories/copies.ts"() {
    "use strict";
    import_node_crypto = require("node:crypto");
    import_node_fs29 = require("node:fs");
    import_node_path21 = require("node:path");
    init_error();
    init_folders();
    init_projection();
  }
});

// src/doors/stories/find-loop.ts
function newestStories(root, cwd, except = null) {
  const fits = ({ id, door, cwd: where }) => door === "stories" && where === cwd && id !== except;
  return listLoops(root).findLast(fits) ?? null;
}
var init_find_loop = __esm({
  "src/doors/stories/find-loop.ts"() {
    "use strict";
    init_registry();
  }
});

// src/doors/stories/project-file.ts
function replaceFile(path, content) {
  const there = (0, import_node_fs30.lstatSync)(path, { throwIfNoEntry: false });
  if (content === null || there !== void 0 && !there.isFile()) (0, import_node_fs30.rmSync)(path, { recursive: true, force: true });
  if (content === null) return;
  (0, import_node_fs30.mkdirSync)((0, import_node_path22.dirname)(path), { recursive: true });
  const next2 = (0, import_node_path22.join)((0, import_node_path22.dirname)(path), `.${(0, import_node_crypto2.randomUUID)()}.ralph`);
  (0, import_node_fs30.writeFileSync)(next2, content, { mode: there?.isFile() ? there.mode & 511 : 420, flag: "wx" });
  (0, import_node_fs30.renameSync)(next2, path);
}
var import_node_crypto2, import_node_fs30, import_node_path22, LARGEST_PRD;
var init_project_file = __esm({
  "src/doors/stories/project-file.ts"() {
    "use strict";
    import_node_crypto2 = require("node:crypto");
    import_node_fs30 = require("node:fs");
    import_node_path22 = require("node:path");
    LARGEST_PRD = 256 * 1024 * 1024;
  }
});

// src/doors/stories/own-commit.ts
async function ownCommit({ cwd, env, message, paths }) {
  if (paths.length === 0) return NOTHING;
  const staged = await git(["add", "--all", "--", ...paths], cwd, env);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git(["status", "--porcelain", "--", ...paths], cwd, env);
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
  const made = await git([...await identity(cwd, env), ...commit2], cwd, env);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  return { commit: await headCommit(gitIn(cwd, env)), problem: null };
}
async function trackedAmong(paths, head, { cwd, env }) {
  const isTracked = async (path) => {
    const here = (0, import_node_path23.isAbsolute)(path) ? (0, import_node_path23.relative)(cwd, path) : path;
    const now2 = await git(["ls-files", "--", here], cwd, env);
    if (now2.ok && now2.stdout !== "") return true;
    const then = head === null ? null : await git(["ls-tree", "-r", "--name-only", head, "--", here], cwd, env);
    return then?.ok === true && then.stdout !== "";
  };
  const tracked = [];
  for (const path of paths) if (await isTracked(path)) tracked.push(path);
  return tracked;
}
async function identity(cwd, env) {
  const known = await git(["var", "GIT_COMMITTER_IDENT"], cwd, env);
  return known.ok ? [] : ["-c", "user.name=Ralph Loop", "-c", "user.email=ralph@localhost"];
}
function firstLine(text) {
  return text.trim().split("\n")[0] ?? "";
}
var import_node_path23, NOTHING;
var init_own_commit = __esm({
  "src/doors/stories/own-commit.ts"() {
    "use strict";
    import_node_path23 = require("node:path");
    init_git();
    NOTHING = { commit: null, problem: null };
  }
});

// src/doors/stories/put-back.ts
async function putBack(setting, given, key) {
  const kept2 = [
    ...putBackOne(setting, "tasks.json", given.tasks, key),
    ...putBackOne(setting, "prd.md", given.prd, key)
  ];
  const message = `chore(ralph): put the story list back — ${MESSAGES[given.why]}`;
  return { kept: kept2, ...await committed(setting, ["tasks.json", "prd.md"], given.head, message) };
}
async function putPromptBack(setting, given, key) {
  const kept2 = putBackOne(setting, "prompt.md", given.prompt, key);
  const message = "chore(ralph): put prompt.md back — the iteration changed it";
  return { kept: kept2, ...await committed(setting, ["prompt.md"], given.head, message) };
}
async function committed({ cwd, env, ralphDir }, names, head, message) {
  const paths = names.map((name) => `${ralphDir}/${name}`);
  return ownCommit({ cwd, env, message, paths: await trackedAmong(paths, head, { cwd, env }) });
}
function putBackOne({ folder, loop, copies }, name, was, key) {
  const path = (0, import_node_path24.join)(folder, name);
  const kept2 = (0, import_node_path24.join)(loop, "put-back", `${key.replaceAll("/", "-")}-${name}`);
  const now2 = readPlainBytes(path, LARGEST_PRD);
  if (now2 !== null) {
    if (nameOf(now2) === was) return (0, import_node_fs31.existsSync)(kept2) ? [kept2] : [];
    makePrivateFolder((0, import_node_path24.join)(loop, "put-back"));
    writeProjection(kept2, now2);
  } else if (was === null && (0, import_node_fs31.lstatSync)(path, { throwIfNoEntry: false }) === void 0) return [];
  replaceFile(path, copies.read(was));
  return now2 === null ? [] : [kept2];
}
var import_node_fs31, import_node_path24, MESSAGES;
var init_put_back = __esm({
  "src/doors/stories/put-back.ts"() {
    "use strict";
    import_node_fs31 = require("node:fs");
    import_node_path24 = require("node:path");
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
      between: "it was changed between two iterations"
    };
  }
});

// src/doors/stories/rules-json.ts
function isFields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isStrings(value) {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
function parsedJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}
var init_rules_json = __esm({
  "src/doors/stories/rules-json.ts"() {
    "use strict";
  }
});

// src/doors/stories/rules-wording.ts
function cut(text) {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
function quoted(value) {
  if (typeof value === "string") return `'${cut(value)}'`;
  return value === void 0 ? "nothing" : cut(JSON.stringify(value));
}
function changed(field, before, after) {
  return `${field} ${quoted(before)} → ${quoted(after)}`;
}
var LONGEST;
var init_rules_wording = __esm({
  "src/doors/stories/rules-wording.ts"() {
    "use strict";
    LONGEST = 80;
  }
});

// src/doors/stories/rules-tasks.ts
function readTasks(text, shownPath = "ralph/tasks.json") {
  const value = text === null ? void 0 : parsedJson(text);
  if (value === void 0) return { isValid: false, problems: [`Cannot read or parse ${shownPath}`] };
  const problems = isFields(value) ? problemsOfFile(value) : ["tasks.json must be an object"];
  return problems.length === 0 ? { isValid: true, tasks: value } : { isValid: false, problems };
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
  if (typeof id === "string" && UNREADABLE.test(id))
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
  if (passes === true && (typeof notes !== "string" || notes.trim() === ""))
    problems.push("has passes=true but empty 'notes' — document what was done");
  return problems;
}
function duplicateIds(stories) {
  const ids = stories.map((story) => isFields(story) ? story.id : void 0).filter((id) => typeof id === "string");
  const looks = ids.map(looksLike);
  const twice = new Set(ids.filter((_id, index) => looks.indexOf(looks[index] ?? "") !== index));
  return [...twice].map((id) => `Duplicate story ID: ${quoted(id)}`);
}
function looksLike(id) {
  return id.normalize("NFKC").replaceAll(new RegExp("\\p{Pd}", "gu"), "-");
}
function is(value, kind) {
  return kind === "strings" ? isStrings(value) : typeof value === kind;
}
var REVIEW_STATUSES, UNREADABLE, REQUIRED, OPTIONAL;
var init_rules_tasks = __esm({
  "src/doors/stories/rules-tasks.ts"() {
    "use strict";
    init_rules_json();
    init_rules_wording();
    REVIEW_STATUSES = ["needs_review", "changes_requested", "approved"];
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

// src/doors/stories/earlier-loop.ts
async function putBackOfEarlier(crank2, cwd, current, settingOf2, host, root) {
  const earlier = newestStories(root, cwd, current);
  if (earlier === null || earlier.ending !== null) return [];
  const folder = loopFolder(root, earlier.id);
  const data = dataOf(crank2, folder);
  if (data?.running === void 0 || data.running === null) return [];
  const { tasks, prd, head } = data.running;
  const setting = settingOf2(folder, cwd, data.request, host);
  const name = (file) => {
    const content = readPlainBytes(`${setting.folder}/${file}`, LARGEST_PRD);
    return content === null ? null : nameOf(content);
  };
  if (name("tasks.json") === tasks && name("prd.md") === prd) return [];
  if (!isSamePlan(setting.copies.text(tasks), readPlain(`${setting.folder}/tasks.json`)))
    return ["An earlier loop was cut off in the middle of an iteration, with another list; nothing is put back."];
  const given = { why: "interrupted", tasks, prd, head };
  const { kept: kept2 } = await putBack(setting, given, "left");
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
function dataOf(crank2, folder) {
  try {
    const { records } = readJournal(journalPath(folder));
    return records.length === 0 ? null : fold(crank2, records).data;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
var init_earlier_loop = __esm({
  "src/doors/stories/earlier-loop.ts"() {
    "use strict";
    init_crank();
    init_error();
    init_journal();
    init_paths();
    init_plain_file();
    init_copies();
    init_find_loop();
    init_project_file();
    init_put_back();
    init_rules_tasks();
  }
});

// src/doors/stories/rules-integrity.ts
function integrityProblems(after, reviewCap, before) {
  return after.userStories.flatMap((story) => [
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
var init_rules_integrity = __esm({
  "src/doors/stories/rules-integrity.ts"() {
    "use strict";
    init_rules_wording();
  }
});

// src/doors/stories/rules-snapshot.ts
function snapshotOf(tasks) {
  return new Map(
    tasks.userStories.map((story) => {
      const { passes, reviewStatus, reviewCount, reviewFeedback, title, description, acceptanceCriteria } = story;
      const text = description === void 0 ? {} : { description };
      return [story.id, { passes, reviewStatus, reviewCount, reviewFeedback, title, ...text, acceptanceCriteria }];
    })
  );
}
function deletedStories(before, after) {
  const here = new Set(after.userStories.map(({ id }) => id));
  return [...before.keys()].filter((id) => !here.has(id)).map(
    (id) => `Story ${cut(id)} was deleted. Stories may be added, split and reordered, never removed: put it back under its id (a split story keeps its id for the first part).`
  );
}
var init_rules_snapshot = __esm({
  "src/doors/stories/rules-snapshot.ts"() {
    "use strict";
    init_rules_wording();
  }
});

// src/doors/stories/rules-transitions.ts
function judgeTransitions(before, after, judging) {
  const pairs = after.userStories.flatMap((is2) => {
    const was = before.get(is2.id);
    return was === void 0 ? [] : [{ was, is: is2, changes: changesOf(was, is2) }];
  });
  const touched = pairs.filter(({ changes }) => changes.length > 0);
  const added = after.userStories.filter(({ id }) => !before.has(id));
  const isSplit = added.length > 0;
  const always = [
    ...added.flatMap(problemsOfNew),
    ...pairs.filter((pair) => !(isSplit && isSubmission(pair))).flatMap(rewritten),
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
    const reason2 = `Review iteration ended without a verdict${story}: reviewCount must increment by exactly 1, and reviewStatus must change from 'needs_review' to 'approved' (with passes=true) or 'changes_requested' (with reviewFeedback).`;
    return { problems: always, noVerdict: always.length === 0 ? reason2 : null, atCap: null };
  }
  if (others.length > 0) {
    const several = `Review iteration made illegal transition: modified review fields on multiple stories (${idsOf(touched)}). Review may only modify one story per iteration.`;
    return { problems: [several, ...always], noVerdict: null, atCap: null };
  }
  const illegal2 = (details) => `Review iteration made illegal transition on story ${cut(pair.is.id)}: ${details}.`;
  const problems = [...verdictProblems(pair, judging).map(illegal2), ...always];
  const isLast = isLastReview(reviewsOf(pair, judging), judging.reviewCap);
  const reason = illegal2(
    `reviewStatus 'needs_review' → 'changes_requested', but this was review ${pair.is.reviewCount} and the review cap is ${judging.reviewCap}. Approve it (reviewStatus='approved', passes=true) and keep the remaining concerns in reviewFeedback, prefixed with ${CAP_PREFIX}`
  );
  const isRefusedAtCap = problems.length === 0 && isLast && pair.is.reviewStatus === "changes_requested";
  return { problems, noVerdict: null, atCap: isRefusedAtCap ? { story: pair.is.id, reason } : null };
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
  const must = (field, wanted, got) => got === wanted ? [] : [`New story ${cut(id)} must start with ${field}=${quoted(wanted)} (got ${field}=${quoted(got)}).`];
  return [
    ...must("passes", false, passes),
    ...must("reviewStatus", null, reviewStatus),
    ...must("reviewCount", 0, reviewCount)
  ];
}
function rewritten({ was, is: is2 }) {
  if (was.reviewStatus === null && is2.reviewStatus === null) return [];
  return ["title", "description", "acceptanceCriteria"].filter((field) => was.title !== void 0 && JSON.stringify(was[field]) !== JSON.stringify(is2[field])).map(
    (field) => `Story ${cut(is2.id)} is submitted and is judged as it was written. Illegal transition: ${changed(field, was[field], is2[field])}.`
  );
}
function strayFeedback({ was, is: is2, changes }, mode) {
  if (was.reviewFeedback === void 0 || was.reviewFeedback === is2.reviewFeedback) return [];
  if (mode !== "implement" && changes.includes("reviewStatus")) return [];
  return [
    `${mode === "review" ? "Only the story under review" : "Only a review"} may get new reviewFeedback. Story ${cut(is2.id)} had illegal transition: ${changed("reviewFeedback", was.reviewFeedback, is2.reviewFeedback)}.`
  ];
}
function idsOf(pairs) {
  return pairs.map(({ is: is2 }) => cut(is2.id)).join(", ");
}
var CAP_PREFIX, REVIEW_FIELDS;
var init_rules_transitions = __esm({
  "src/doors/stories/rules-transitions.ts"() {
    "use strict";
    init_rules_wording();
    CAP_PREFIX = "[AUTO-APPROVED AT CAP]";
    REVIEW_FIELDS = ["passes", "reviewStatus", "reviewCount"];
  }
});

// src/doors/stories/rules-judge.ts
function judgeIteration(before, afterText, context) {
  return judgeAgainst(snapshotOf(before), afterText, { ...context, frozen: before });
}
function judgeAgainst(before, afterText, context) {
  const read = readTasks(afterText, context.shownPath);
  if (!read.isValid) return illegal("tasks", [`Task list validation failed: ${told(read.problems)}`]);
  const { tasks } = read;
  const lost = [...before === null ? [] : deletedStories(before, tasks), ...thawed(context.frozen ?? null, tasks)];
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
var init_rules_judge = __esm({
  "src/doors/stories/rules-judge.ts"() {
    "use strict";
    init_rules_integrity();
    init_rules_snapshot();
    init_rules_tasks();
    init_rules_transitions();
    init_rules_wording();
    MOST_PROBLEMS = 10;
  }
});

// src/doors/stories/rules-mode.ts
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
function isComplete(tasks, reviewing) {
  return tasks.userStories.length > 0 && tasks.userStories.every((story) => isDone(story, reviewing));
}
function estimateBudget(tasks, { skipReview }) {
  const stories = tasks.userStories.filter((story) => !isDone(story, { skipReview })).length;
  const each = skipReview ? ITERATIONS_PER_STORY.without : ITERATIONS_PER_STORY.withReview;
  const iterations = stories * each;
  const text = `${counted(stories, "story", "stories")} × ~${counted(each, "iteration", "iterations")} each = ~${counted(iterations, "iteration", "iterations")} needed`;
  return { stories, iterations, text };
}
function isDone({ passes, reviewStatus }, { skipReview }) {
  return passes && (skipReview || reviewStatus === "approved");
}
function counted(count, one, several) {
  return `${count} ${count === 1 ? one : several}`;
}
var ITERATIONS_PER_STORY;
var init_rules_mode = __esm({
  "src/doors/stories/rules-mode.ts"() {
    "use strict";
    init_rules_judge();
    ITERATIONS_PER_STORY = { withReview: 3, without: 1 };
  }
});

// src/doors/stories/inputs.ts
function storiesReader({ folder, request, copies, pluginDir, last, beforePause }) {
  let isFirst = true;
  return (known) => {
    const prompt2 = readPlainBytes((0, import_node_path25.join)(folder, "prompt.md"));
    if (prompt2 === null) throw missing(request.ralphDir, "prompt.md");
    const list = readPlainBytes((0, import_node_path25.join)(folder, "tasks.json"));
    const now2 = { tasks: copies.keep(list), prd: copies.keep(readPlainBytes((0, import_node_path25.join)(folder, "prd.md"), LARGEST_PRD)) };
    const inputs = {
      prompt: prompt2.toString("utf8"),
      promptCopy: copies.keep(prompt2),
      ...now2,
      between: changedBetween(last(), now2, request, copies),
      inPause: changedInPause(beforePause(), now2, copies),
      list: listState(list?.toString("utf8") ?? null, request),
      pluginDir
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
function wholeInputs(masked2, copies) {
  const inputs = masked2;
  return { ...inputs, prompt: copies.text(inputs.promptCopy) ?? inputs.prompt };
}
function refuseUnready(folder, { ralphDir }) {
  const text = readPlain((0, import_node_path25.join)(folder, "tasks.json"));
  if (text === null) throw missing(ralphDir, "tasks.json");
  if (readPlain((0, import_node_path25.join)(folder, "prompt.md")) === null) throw missing(ralphDir, "prompt.md");
  const prd = (0, import_node_fs32.lstatSync)((0, import_node_path25.join)(folder, "prd.md"), { throwIfNoEntry: false });
  if (prd?.isFile() && prd.size > LARGEST_PRD)
    throw new RalphError("STORIES_FILE", `${ralphDir}/prd.md is larger than ${LARGEST_PRD} bytes`, { exitCode: 2 });
  const read = readTasks(text);
  if (read.isValid) return read.tasks;
  throw new RalphError("TASKS_FILE", invalidReason(text, read.problems, ralphDir), {
    hint: "Fill it in by hand, or have it planned: /ralph-plan in Claude Code.",
    exitCode: 2
  });
}
function listState(text, { ralphDir, skipReview }) {
  const read = readTasks(text, `${ralphDir}/tasks.json`);
  if (!read.isValid) return { is: "invalid", reason: invalidReason(text, read.problems, ralphDir) };
  if (isComplete(read.tasks, { skipReview })) return { is: "complete" };
  const { mode, story } = chooseMode(read.tasks, { skipReview });
  if (story === null) return { is: "waiting", reason: waitingReason(read.tasks, ralphDir) };
  const { id, title, reviewCount } = story;
  return { is: "open", mode, story: { id, title, reviewCount } };
}
function invalidReason(text, problems, ralphDir) {
  if (text !== null && !isJson(text)) return `${ralphDir}/tasks.json is not valid JSON`;
  const [first = "", ...more] = problems;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return `${ralphDir}/tasks.json is not a task list: ${first}${others}`;
}
function waitingReason({ userStories }, ralphDir) {
  if (userStories.length === 0) return `${ralphDir}/tasks.json has no stories`;
  const open = userStories.filter(({ passes }) => !passes);
  const waits = open.map(({ id, dependsOn = [] }) => `${id} (dependsOn ${dependsOn.join(", ") || "nothing"})`);
  return `no story is ready: ${waits.join("; ")} in ${ralphDir}/tasks.json`;
}
function missing(ralphDir, name) {
  return new RalphError("STORIES_FILE", `${ralphDir}/${name} not found`, {
    hint: "Prepare the project first: ralph stories init",
    exitCode: 2
  });
}
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
var import_node_fs32, import_node_path25;
var init_inputs = __esm({
  "src/doors/stories/inputs.ts"() {
    "use strict";
    import_node_fs32 = require("node:fs");
    import_node_path25 = require("node:path");
    init_digest();
    init_error();
    init_plain_file();
    init_project_file();
    init_rules_judge();
    init_rules_mode();
    init_rules_tasks();
  }
});

// src/stream/printable.ts
function printable(text) {
  return CONTROL.test(text) ? (0, import_node_util3.stripVTControlCharacters)(text).replaceAll(EACH_CONTROL, "") : text;
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

// src/stream/formatter.ts
function eventFormatter(options = DEFAULT_FORMAT) {
  const icon = options.emoji ? EMOJI : TEXT2;
  const paint = (style, text) => options.color ? (0, import_node_util4.styleText)(style, text, WHATEVER_THE_STREAM) : text;
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
    const text = event.output.trimEnd();
    if (text === "" && !event.isError) return "";
    const head = event.isError ? paint("red", `${icon.error} Error`) : paint("green", `${icon.ok} Result`);
    return `${head} ← ${name} ${outputLines(text, event.output.length)}`;
  };
  const outputLines = (text, chars) => {
    let shown = "";
    let lines = 0;
    for (let start = 0; start <= text.length; lines++) {
      const end2 = text.indexOf("\n", start);
      const stop = end2 < 0 ? text.length : end2;
      if (lines < options.maxOutputLines) {
        const line = cut2(options.mask(printable(text.slice(start, stop))), options.maxOutputChars);
        shown += `
${paint("dim", lines === 0 ? `  ${icon.output}  ${line}` : `      ${line}`)}`;
      }
      start = stop + 1;
    }
    const more = lines - options.maxOutputLines;
    if (more > 0) shown += `
${paint("dim", `  ${icon.output}  ... ${more} more lines`)}`;
    return `(${lines} lines, ${chars} chars)${shown}`;
  };
  const todo2 = ({ items }) => {
    const done = items.filter((item) => item.status === "completed").length;
    const share = Math.round(done / Math.max(items.length, 1) * 100);
    const lines = items.map(({ status, text }) => {
      if (status === "active") return paint("yellow", `  ${icon.active} ${printable(text)} ← ACTIVE`);
      return `  ${status === "completed" ? icon.done : icon.pending} ${printable(text)}`;
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
    return `${head} (${account(event, tools, errors)})`;
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
    const text = show(event);
    if (text === "" && event.type !== "text") return null;
    return options.clock === null ? text : stamped(text, options.clock());
  };
}
function stamped(text, now2) {
  const stamp = `[${now2.toTimeString().slice(0, 8)}]`;
  return text.replaceAll(/^/gm, `${stamp} `);
}
function account(result, tools, errors) {
  const parts = [];
  const { costUsd, inputTokens, outputTokens, cacheReadTokens } = result;
  if (costUsd !== void 0 && costUsd > 0) parts.push(`cost: ${dollars(costUsd)}`);
  if (inputTokens !== void 0 && outputTokens !== void 0) {
    const cached = cacheReadTokens ? ` (${shortCount(cacheReadTokens)} cached)` : "";
    parts.push(`tokens: ${shortCount(inputTokens)} in${cached} / ${shortCount(outputTokens)} out`);
  } else if (costUsd === void 0) parts.push("cost: unknown");
  parts.push(`tools: ${tools}`, `errors: ${errors}`);
  if (result.durationMs !== void 0)
    parts.push(`time: ${formatDuration(Math.round(result.durationMs / 1e3) * 1e3)}`);
  return parts.join(", ");
}
function cut2(text, chars) {
  const line = text.replaceAll("\n", " ");
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
      mask: (text) => text
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

// src/doors/stories/iteration-log.ts
function iterationLog({ folder }, mask) {
  const logs = (0, import_node_path26.join)(folder, "logs");
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let file = "";
  let began = null;
  return (event) => {
    if (event.type === "progress") {
      const text = event.event.type === "stderr" ? event.event.text : format(event.event);
      const shown = text === null ? null : maskShown(text);
      if (shown !== null) append2(file, `${shown}
`);
    } else if (event.type === "action") {
      const { action, state } = event;
      if (action.do !== "start") return;
      const running = state.data.running;
      began = { mode: running?.mode ?? "", at: running?.beganAt ?? state.at };
      format = eventFormatter({ ...DEFAULT_FORMAT, emoji: false, maxOutputLines: 40, maxOutputChars: 4e3, mask });
      file = (0, import_node_path26.join)(logs, `iteration-${String(state.iteration).padStart(3, "0")}.log`);
      append2(file, `=== ${action.run.iteration}/${action.run.try} ${began.mode} ${running?.story.id ?? ""}
`);
    } else if (event.record.result.kind === "stepped" && event.record.result.what === "judge") {
      if (began === null) return;
      const summary = (0, import_node_path26.join)(logs, "summary.csv");
      append2(summary, `${(0, import_node_fs33.existsSync)(summary) ? "" : HEADER}${summaryLine(event.state, began, event.record.at)}
`);
    }
  };
}
function summaryLine({ iteration, data }, began, at) {
  const { judged, stuckCount } = data;
  const seconds = Math.round((at - began.at) / 1e3);
  const stories = [judged?.complete ?? 0, judged?.total ?? 0];
  const timestamp = new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  return [iteration, began.mode, seconds, judged?.head ?? "", ...stories, stuckCount, timestamp].join(",");
}
function append2(path, text) {
  if (path === "") return;
  try {
    (0, import_node_fs33.mkdirSync)((0, import_node_path26.dirname)(path), { recursive: true });
    if ((0, import_node_fs33.lstatSync)(path, { throwIfNoEntry: false })?.isFile() === false) (0, import_node_fs33.rmSync)(path, { recursive: true });
    (0, import_node_fs33.appendFileSync)(path, text);
  } catch {
  }
}
var import_node_fs33, import_node_path26, HEADER;
var init_iteration_log = __esm({
  "src/doors/stories/iteration-log.ts"() {
    "use strict";
    import_node_fs33 = require("node:fs");
    import_node_path26 = require("node:path");
    init_mask();
    init_formatter();
    HEADER = "iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp\n";
  }
});

// src/doors/stories/last-looks.ts
function lastLooks() {
  let seen = null;
  let paused = null;
  return {
    last: () => seen,
    beforePause: () => paused,
    after(action, result) {
      if (result.kind === "waited" && result.command === "resume") {
        paused = seen;
        seen = null;
      }
      if (action.do !== "step" || result.kind !== "stepped") return;
      paused = null;
      if (action.what === "judge") seen = namesOf(result.gave);
      if (action.what === "put-back") seen = namesOf(action.given);
      if (action.what === "approve" && seen !== null)
        seen = { ...seen, tasks: action.given.approved };
    }
  };
}
function namesOf({ tasks, prd }) {
  return { tasks, prd };
}
var init_last_looks = __esm({
  "src/doors/stories/last-looks.ts"() {
    "use strict";
  }
});

// src/doors/stories/rules-marker.ts
function markerText(marker) {
  const { maxIterations, preIterationSnapshot, timestamp, pid, mode, skipReview, reviewCap, iterationMode, ...ours } = marker;
  const seed = { timestamp, pid, max_iterations: maxIterations, mode, skipReview, reviewCap, iterationMode };
  const snapshot = Object.fromEntries(preIterationSnapshot);
  return `${JSON.stringify({ ...seed, preIterationSnapshot: snapshot, ...ours }, null, 2)}
`;
}
function readMarker(text) {
  const value = parsedJson(text);
  const marker = isFields(value) ? value : {};
  const { pid, skipReview, reviewCap, story, ralphDir } = marker;
  return {
    pid: isCount(pid) ? pid : null,
    process: processOf(marker.process),
    isSandboxed: marker.mode === "sandbox",
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
function isLeftBehind({ pid, process: owner, isSandboxed }, here, isRunning2) {
  if (pid === null || owner === null || isSandboxed) return false;
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
  const { passes, reviewStatus, reviewCount, reviewFeedback, title, description, acceptanceCriteria } = value;
  if (typeof passes !== "boolean" || !isReviewStatus(reviewStatus) || !isCount(reviewCount)) return null;
  return {
    passes,
    reviewStatus,
    reviewCount,
    ...typeof reviewFeedback === "string" ? { reviewFeedback } : {},
    ...typeof title === "string" ? { title } : {},
    ...typeof description === "string" ? { description } : {},
    ...isStrings(acceptanceCriteria) ? { acceptanceCriteria } : {}
  };
}
function isReviewStatus(value) {
  return value === null || REVIEW_STATUSES.some((status) => status === value);
}
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
var MARKER_NAME, DEFAULT_REVIEW_CAP, MODES;
var init_rules_marker = __esm({
  "src/doors/stories/rules-marker.ts"() {
    "use strict";
    init_rules_json();
    init_rules_tasks();
    MARKER_NAME = ".ralph-active";
    DEFAULT_REVIEW_CAP = 5;
    MODES = ["implement", "review", "review-fix"];
  }
});

// src/doors/stories/marker-file.ts
function writeMarker(cwd, place, marker) {
  const self = identify(process.pid, place);
  if (self === null) throw new Error("this process does not find itself");
  const { pid, startTime, boot } = self;
  const owner = { pid, process: { startTime, boot, pidNamespace: place.pidNamespace } };
  replaceFile((0, import_node_path27.join)(cwd, MARKER_NAME), markerText({ ...marker, ...owner }));
}
function removeMarker(cwd, place) {
  const marker = markerIn(cwd);
  if (marker?.pid === process.pid && lives(marker, place)) (0, import_node_fs34.rmSync)((0, import_node_path27.join)(cwd, MARKER_NAME), { force: true });
}
function takeOver(cwd, place) {
  const marker = markerIn(cwd);
  if (marker === null) return null;
  if (marker.pid !== null && marker.pid !== process.pid && lives(marker, place)) {
    throw new RalphError("LOCKED", `a loop already runs in ${cwd} (pid ${marker.pid})`, {
      hint: `Stop it first: kill ${marker.pid}. If that is no ralph, remove ${MARKER_NAME}.`,
      exitCode: 2
    });
  }
  return marker.pid ?? "unknown";
}
function markerPid(cwd, place) {
  const marker = markerIn(cwd);
  return marker !== null && lives(marker, place) ? marker.pid : null;
}
function markerIn(cwd) {
  const text = readPlain((0, import_node_path27.join)(cwd, MARKER_NAME));
  return text === null ? null : readMarker(text);
}
function lives(marker, place) {
  const { pid, process: owner } = marker;
  if (pid === null) return false;
  if (owner === null) return identify(pid, place) !== null;
  return !isLeftBehind({ ...marker, isSandboxed: false }, place, (one) => isRunning(one, place));
}
var import_node_fs34, import_node_path27;
var init_marker_file = __esm({
  "src/doors/stories/marker-file.ts"() {
    "use strict";
    import_node_fs34 = require("node:fs");
    import_node_path27 = require("node:path");
    init_error();
    init_identity();
    init_plain_file();
    init_project_file();
    init_rules_marker();
  }
});

// src/agents/root-refusal.ts
function refuseForRoot(command, isRoot, env) {
  if ((0, import_node_path28.basename)(command) !== "claude" || !isRoot || isSet(env.IS_SANDBOX)) return;
  throw new RalphError("ROOT", "Claude Code refuses --dangerously-skip-permissions to root", {
    hint: "Run ralph as another user; or, in a container that may be lost, set IS_SANDBOX=1.",
    exitCode: 2
  });
}
function isSet(value) {
  return value !== void 0 && !["", "0", "false", "no", "off"].includes(value.toLowerCase());
}
var import_node_path28;
var init_root_refusal = __esm({
  "src/agents/root-refusal.ts"() {
    "use strict";
    import_node_path28 = require("node:path");
    init_error();
  }
});

// src/doors/stories/agent.ts
function agentFor(request, mode, pluginDir) {
  const isReview = mode === "review";
  const command = (isReview ? request.reviewAgent : null) ?? request.agent;
  const usual = command === request.agent ? request.model : null;
  const model = (isReview ? request.reviewModel : null) ?? usual;
  const flags = [
    ...AUTONOMY2[(0, import_node_path29.basename)(command)] ?? [],
    ...isClaude(command) && pluginDir !== null ? ["--plugin-dir", pluginDir] : [],
    ...model === null ? [] : ["--model", model]
  ];
  return { command, flags, mode: "stream" };
}
function isClaude(command) {
  return (0, import_node_path29.basename)(command) === "claude";
}
function callsClaude({ agent, reviewAgent, skipReview }) {
  return isClaude(agent) || !skipReview && reviewAgent !== null && isClaude(reviewAgent);
}
var import_node_path29, AUTONOMY2;
var init_agent = __esm({
  "src/doors/stories/agent.ts"() {
    "use strict";
    import_node_path29 = require("node:path");
    AUTONOMY2 = {
      claude: ["--dangerously-skip-permissions"],
      codex: ["--dangerously-bypass-approvals-and-sandbox"]
    };
  }
});

// src/doors/stories/preflight.ts
function refuseUnsafe(request, { isRoot, env, pluginDir }) {
  if (!callsClaude(request)) return;
  if (pluginDir === null) {
    throw new RalphError("NO_PLUGIN", "the ralph plugin was not found, and without its guard nothing runs directly", {
      hint: "Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.",
      exitCode: 2
    });
  }
  refuseForRoot("claude", isRoot, env);
}
function loopEnvironment(env) {
  return {
    ...env,
    RALPH_GUARD: "on",
    RALPH_NODE: process.execPath,
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP ?? String(STOP_HOOK_BLOCKS)
  };
}
var STOP_HOOK_BLOCKS;
var init_preflight = __esm({
  "src/doors/stories/preflight.ts"() {
    "use strict";
    init_root_refusal();
    init_error();
    init_agent();
    STOP_HOOK_BLOCKS = 30;
  }
});

// src/doors/stories/promise.ts
function promisedIn(tag) {
  const text = tag?.trim() ?? "";
  if (text === "COMPLETE") return { kind: "complete" };
  const [, word, reason = ""] = /^(BLOCKED|DECIDE):(.*)$/s.exec(text) ?? [];
  if (word !== "BLOCKED" && word !== "DECIDE" || reason.trim() === "") return null;
  return { kind: WORDS[word], reason: reason.trim() };
}
var WORDS;
var init_promise = __esm({
  "src/doors/stories/promise.ts"() {
    "use strict";
    WORDS = { BLOCKED: "blocked", DECIDE: "decision" };
  }
});

// src/doors/stories/story-state.ts
function reviewsOf2({ reviews }, { id, reviewCount }) {
  return Object.hasOwn(reviews, id) ? reviews[id] ?? 0 : reviewCount;
}
function inputsOf({ inputs }) {
  if (inputs === null) throw new Error("the rules were asked before the inputs were read");
  return inputs;
}
function nowRunning({ running }) {
  if (running === null) throw new Error("no iteration has begun");
  return running;
}
var MOST_TAMPERED, MOST_EMPTY, EMPTY_REPLIES;
var init_story_state = __esm({
  "src/doors/stories/story-state.ts"() {
    "use strict";
    MOST_TAMPERED = 3;
    MOST_EMPTY = 3;
    EMPTY_REPLIES = `${MOST_EMPTY} consecutive empty responses`;
  }
});

// src/doors/stories/after-judge.ts
function afterJudge(before, judged) {
  const ran = ranOf(before);
  const running = nowRunning(before);
  const data = { ...before, judged, promised: ran.outcome.kind === "worked" ? promisedIn(ran.said.tag) : null };
  const isTouched = judged.tasks !== running.tasks || judged.prd !== running.prd;
  if (ran.outcome.kind !== "worked") return isTouched ? putBack2(data, "failed") : settled(data, asUsual2(ran));
  if (isEmptyReply(ran) && !isTouched) return afterEmptyReply(data);
  const worked = { ...data, emptyInARow: 0, stuckCount: judged.head === running.head ? data.stuckCount + 1 : 0 };
  const wrong = tampering(worked);
  if (wrong !== null) return putBack2({ ...worked, note: wrong, tamperedInARow: data.tamperedInARow + 1 }, "tampered");
  return afterWork({ ...worked, tamperedInARow: 0 }, judged);
}
function afterWork(data, { verdict, code }) {
  const running = nowRunning(data);
  switch (verdict.kind) {
    case "illegal":
      throw new Error("tampering was looked for before");
    case "at-cap":
      return { data, go: { to: "step", what: "approve" } };
    case "no-verdict":
      return needsPerson(data.promised) ? counted2(data) : failed2(data, verdict.reason);
    case "legal": {
      const unfixed = running.mode === "review-fix" ? whyUnfixed(running.code, code) : null;
      if (unfixed === null || needsPerson(data.promised)) return counted2(data);
      const reason = `${unfixed}: story ${running.story.id} stays changes_requested. Address its reviewFeedback in the code, then re-submit it.`;
      return verdict.submitted === null ? failed2(data, reason) : putBack2({ ...data, note: reason }, "no-fix");
    }
  }
}
function whyUnfixed(before, after) {
  if (before === null) return null;
  if (after === null) return "Git cannot tell any more what the review-fix iteration changed";
  return before === after ? "The review-fix iteration changed no code" : null;
}
function afterPutBack(data) {
  const why = data.pending?.why;
  switch (why) {
    case "interrupted":
      return settled(data, { to: "again" });
    case "no-fix":
      return failed2(data, data.note ?? "");
    case "between":
    case "tampered": {
      if (data.tamperedInARow < MOST_TAMPERED)
        return settled(data, { to: why === "between" ? "again" : "next-iteration" });
      const reason = `${MOST_TAMPERED} iterations in a row made changes that they may not make. The last: ${data.note ?? ""}`;
      return settled(data, { to: "end", ending: { kind: "tampered", reason } });
    }
    default:
      return settled(data, asUsual2(ranOf(data)));
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
function counted2(before) {
  const { promised } = before;
  const data = { ...before, note: null, answer: null, reviews: reviewsAfter(before) };
  return needsPerson(promised) ? { data: { ...data, running: null }, go: { to: "step", what: "tell" } } : settled(data, asUsual2(ranOf(data)));
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
  return settled({ ...data, note: reason }, asUsual2({ ...ranOf(data), outcome }));
}
function afterEmptyReply(before) {
  const data = { ...before, emptyInARow: before.emptyInARow + 1 };
  if (data.emptyInARow < MOST_EMPTY) return settled(data, { to: "again" });
  return settled(data, { to: "end", ending: { kind: "infrastructure", reason: EMPTY_REPLIES } });
}
function putBack2(data, why) {
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
function asUsual2(ran) {
  return { to: "as-usual", ran };
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
var init_after_judge = __esm({
  "src/doors/stories/after-judge.ts"() {
    "use strict";
    init_promise();
    init_story_state();
  }
});

// src/doors/stories/prompt.ts
function storiesPrompt(parts) {
  const { note, answer } = parts;
  const notes = note === null ? [] : ["", "The last iteration did not count:", "", quoted2(note)];
  const answers = answer === null ? [] : ["", "A person has answered the loop's question:", "", quoted2(answer)];
  return [withNumbers(parts).trimEnd(), "", "## This iteration", "", assignment(parts), ...notes, ...answers, ""].join(
    "\n"
  );
}
function withNumbers({ text, iteration, maxIterations }) {
  const forms = /\$RALPH_(ITERATION|MAX_ITERATIONS)(?![A-Za-z0-9_])|\{\{RALPH_(ITERATION|MAX_ITERATIONS)\}\}/g;
  return text.replaceAll(
    forms,
    (_all, plain2, braced) => String((plain2 ?? braced) === "ITERATION" ? iteration : maxIterations)
  );
}
function assignment({ mode, story, skipReview, reviewCap }) {
  const what = `- Mode: ${mode}
- Story: ${story.id} (${story.title.split(/\s+/).join(" ")})`;
  if (skipReview) return `${what}
- There are no reviews (\`skipReview\`).`;
  if (mode !== "review") return what;
  const review = story.reviewCount + 1;
  const last = review >= reviewCap ? ": the last one, so approve it and keep what is left to say in reviewFeedback" : "";
  return `${what}
- This is review ${review} of at most ${reviewCap}${last}.`;
}
function quoted2(text) {
  return text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n");
}
var init_prompt = __esm({
  "src/doors/stories/prompt.ts"() {
    "use strict";
  }
});

// src/doors/stories/rules.ts
function afterInputs({ data }) {
  const { running } = data;
  const { tasks, prd, list, between } = inputsOf(data);
  if (running !== null && (running.tasks !== tasks || running.prd !== prd)) return putBack2(data, "interrupted");
  if (between !== null) return putBackBetween(data, between);
  switch (list.is) {
    case "invalid":
      return { data, go: { to: "end", ending: { kind: "configuration", reason: list.reason } } };
    case "complete":
      return { data, go: { to: "end", ending: { kind: "done" } } };
    case "waiting":
      return { data, go: { to: "end", ending: { kind: "blocked", reason: list.reason } } };
    case "open":
      return { data, go: { to: "step", what: "mark" } };
  }
}
function step(state, what) {
  const { data } = state;
  const spec = (given, outward2) => ({
    given,
    outward: outward2
  });
  switch (what) {
    case "mark":
      return spec(markGiven(state), false);
    case "judge":
      return spec(judgeGiven(data), false);
    case "prompt-back":
      return spec(promptBackGiven(data), true);
    case "put-back":
      return spec(putBackGiven(data), true);
    case "approve":
      return spec(approveGiven(data), true);
    case "tell":
      return spec(tellGiven(state), true);
  }
}
function markGiven({ iteration, data }) {
  const { tasks, list } = inputsOf(data);
  if (list.is !== "open") throw new Error(`a list that is ${list.is} has nothing to mark`);
  return { iteration, mode: list.mode, story: list.story.id, tasks };
}
function judgeGiven(data) {
  const { mode, story, tasks } = nowRunning(data);
  const { reviewCap, skipReview } = data.request;
  return { mode, story: story.id, before: tasks, reviews: data.reviews, reviewCap, skipReview };
}
function promptBackGiven(data) {
  const { prompt: text, head } = nowRunning(data);
  return { prompt: text, head };
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
function afterStep(state, what, gave) {
  const { data } = state;
  const { spoilt } = gave;
  if (spoilt !== void 0) return { data, go: { to: "end", ending: { kind: "tampered", reason: spoilt } } };
  switch (what) {
    case "mark":
      return {
        data: { ...data, running: begun(state, gave) },
        go: { to: "run", purpose: "work" }
      };
    case "judge":
      return afterLook(data, gave);
    case "prompt-back":
      return afterJudge(data, judgedOf(data));
    case "put-back":
      return afterPutBack(data);
    case "approve":
      return afterApproval(data);
    case "tell": {
      const { promised } = data;
      const reason = promised === null || promised.kind === "complete" ? "" : promised.reason;
      return {
        data,
        go: { to: "end", ending: { kind: promised?.kind === "decision" ? "decision" : "blocked", reason } }
      };
    }
  }
}
function afterLook(data, judged) {
  const before = nowRunning(data).prompt;
  if (before === void 0 || before === judged.prompt) return afterJudge(data, judged);
  return { data: { ...data, judged }, go: { to: "step", what: "prompt-back" } };
}
function judgedOf({ judged }) {
  if (judged === null) throw new Error("nothing has been judged");
  return judged;
}
function begun({ at, data }, { head, code }) {
  const { tasks, prd, list, promptCopy } = inputsOf(data);
  if (list.is !== "open") throw new Error(`a list that is ${list.is} has nothing to begin`);
  return { mode: list.mode, story: list.story, tasks, prd, prompt: promptCopy, head, code, beganAt: at };
}
function prompt({ iteration, data }) {
  const { request, note } = data;
  const { mode, story } = nowRunning(data);
  const { prompt: text } = inputsOf(data);
  const { maxIterations, skipReview, reviewCap } = request;
  const counted3 = { ...story, reviewCount: reviewsOf2(data, story) };
  return storiesPrompt({
    text,
    iteration,
    maxIterations,
    mode,
    story: counted3,
    skipReview,
    reviewCap,
    note,
    answer: data.answer
  });
}
function isComplete2(judged) {
  const verdict = judged?.verdict;
  return (verdict?.kind === "legal" || verdict?.kind === "at-cap") && verdict.isComplete;
}
function unused() {
  throw new Error("a stories loop has neither guardrails nor tasks of an SCM");
}
var storiesRules;
var init_rules = __esm({
  "src/doors/stories/rules.ts"() {
    "use strict";
    init_after_judge();
    init_agent();
    init_prompt();
    init_story_state();
    storiesRules = {
      door: "stories",
      begin: (created) => ({
        // Written by this door's own start.
        request: created.options,
        // Older loops had none.
        answer: created.options.answer ?? null,
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
        promised: null
      }),
      // Written by this door's own reader.
      takeInputs: (data, inputs) => ({ ...data, inputs }),
      afterInputs,
      limit: ({ request }) => request.maxIterations,
      backoffUnit: ({ request }) => request.backoffUnitMs,
      agent: ({ data }) => agentFor(data.request, nowRunning(data).mode, inputsOf(data).pluginDir),
      prompt,
      listen: () => ({ tag: "promise", multiline: true }),
      timeout: () => null,
      countsLater: true,
      afterEveryRun: ({ data }, ran) => ({ data: { ...data, ran }, go: { to: "step", what: "judge" } }),
      afterRun: ({ data }) => ({
        data,
        go: isComplete2(data.judged) ? { to: "end", ending: { kind: "done" } } : { to: "next-iteration" }
      }),
      step,
      afterStep: (state, what, gave) => afterStep(state, what, gave),
      check: unused,
      publish: unused,
      afterCheck: unused,
      afterPublish: unused
    };
  }
});

// src/doors/stories/code-print.ts
async function codePrint(cwd, ralphDir, env) {
  const asked2 = ["--show-toplevel", "--git-path", "index", "--git-path", "objects"];
  const paths = await git(["rev-parse", ...asked2], cwd, env);
  const [top, index, objects] = paths.stdout.split("\n").map((path) => (0, import_node_path30.resolve)(cwd, path));
  if (!paths.ok || top === void 0 || index === void 0 || objects === void 0) return null;
  const folder = (0, import_node_fs35.mkdtempSync)((0, import_node_path30.join)((0, import_node_os6.tmpdir)(), "ralph-code-"));
  try {
    const own = (0, import_node_path30.join)(folder, "index");
    if ((0, import_node_fs35.existsSync)(index)) (0, import_node_fs35.copyFileSync)(index, own);
    const apart = {
      ...env,
      GIT_INDEX_FILE: own,
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects
    };
    await git(["add", "--all", "--ignore-errors", "--", "."], cwd, apart);
    const left = [...isWithin((0, import_node_path30.resolve)(cwd, ralphDir), top) ? [ralphDir] : [], MARKER_NAME];
    const removed = await git(["rm", "-r", "-f", "--cached", "--quiet", "--ignore-unmatch", "--", ...left], cwd, apart);
    const tree = await git(["write-tree"], cwd, apart);
    return removed.ok && tree.ok ? tree.stdout.trim() : null;
  } finally {
    (0, import_node_fs35.rmSync)(folder, { recursive: true, force: true });
  }
}
function isWithin(path, folder) {
  return (0, import_node_path30.relative)(folder, path).split("/")[0] !== "..";
}
var import_node_fs35, import_node_os6, import_node_path30;
var init_code_print = __esm({
  "src/doors/stories/code-print.ts"() {
    "use strict";
    import_node_fs35 = require("node:fs");
    import_node_os6 = require("node:os");
    import_node_path30 = require("node:path");
    init_git();
    init_rules_marker();
  }
});

// src/doors/stories/judge-run.ts
async function judgeRun2(setting, given) {
  const { folder, copies, cwd, env, ralphDir } = setting;
  const list = readPlainBytes((0, import_node_path31.join)(folder, "tasks.json"));
  return {
    ...judgedList(list, given, copies),
    prd: copies.keep(readPlainBytes((0, import_node_path31.join)(folder, "prd.md"), LARGEST_PRD)),
    prompt: copies.keep(readPlainBytes((0, import_node_path31.join)(folder, "prompt.md"))),
    head: await headCommit(gitIn(cwd, env)),
    code: given.mode === "review-fix" ? await codePrint(cwd, ralphDir, env) : null
  };
}
function judgedList(list, given, copies) {
  const text = list?.toString("utf8") ?? null;
  const before = readTasks(copies.text(given.before));
  if (!before.isValid) throw new Error("an iteration began with a list that is none");
  const { mode, reviewCap, skipReview, story } = given;
  const reviews = new Map(Object.entries(given.reviews));
  const verdict = judgeIteration(before.tasks, text, { mode, story, reviewCap, reviews, skipReview });
  const after = readTasks(text);
  const stories = (after.isValid ? after : before).tasks.userStories;
  return {
    tasks: copies.keep(list),
    verdict: kept(verdict, copies, skipReview),
    complete: stories.filter(({ passes }) => passes).length,
    total: stories.length
  };
}
function kept(verdict, copies, skipReview) {
  switch (verdict.kind) {
    case "legal": {
      const { submitted, approved, sentBack, isCapApproval: isCapApproval2, countBefore } = verdict.changes;
      const isDone2 = isComplete(verdict.tasks, { skipReview });
      return { kind: "legal", isComplete: isDone2, submitted, approved, sentBack, isCapApproval: isCapApproval2, countBefore };
    }
    case "no-verdict":
    case "illegal":
      return { kind: verdict.kind, reason: verdict.reason };
    case "at-cap": {
      const approved = copies.keep(`${JSON.stringify(verdict.approved, null, 2)}
`) ?? "";
      return {
        kind: "at-cap",
        story: verdict.story,
        approved,
        isComplete: isComplete(verdict.approved, { skipReview }),
        countBefore: verdict.changes.countBefore
      };
    }
  }
}
var import_node_path31;
var init_judge_run = __esm({
  "src/doors/stories/judge-run.ts"() {
    "use strict";
    import_node_path31 = require("node:path");
    init_git();
    init_plain_file();
    init_code_print();
    init_project_file();
    init_rules_judge();
    init_rules_mode();
    init_rules_tasks();
  }
});

// src/doors/stories/tell.ts
function tell(folder, { kind, reason, iteration, at }) {
  const from = `(from iteration ${iteration}, ${new Date(at).toISOString().replace(/\.\d+Z$/, "Z")})`;
  if (kind === "blocked") replaceFile((0, import_node_path32.join)(folder, BLOCKED_FILE), `## Blocked ${from}

${reason}
`);
  else replaceFile((0, import_node_path32.join)(folder, DECIDE_FILE), `## Question ${from}

${reason}

${ANSWER}
`);
}
function answerTo(question, text) {
  const whole = text.replaceAll("\r\n", "\n").replace(/^## Question \([^\n]*\)\n\n/, "");
  const asked2 = `${question}

${ANSWER}`;
  if (!whole.startsWith(asked2) || whole.slice(asked2.length).trim() === "") return null;
  return text.trim();
}
var import_node_path32, BLOCKED_FILE, DECIDE_FILE, TOLD_FILES, ANSWER;
var init_tell = __esm({
  "src/doors/stories/tell.ts"() {
    "use strict";
    import_node_path32 = require("node:path");
    init_project_file();
    BLOCKED_FILE = "blocked.txt";
    DECIDE_FILE = "decide.txt";
    TOLD_FILES = [BLOCKED_FILE, DECIDE_FILE];
    ANSWER = "---\n## Answer\n";
  }
});

// src/doors/stories/steps.ts
async function performStep(setting, { what, given, key }) {
  const gave = await doStep(setting, what, given, key).catch(endedByCopies);
  return { kind: "stepped", what, gave };
}
function endedByCopies(error) {
  if (error instanceof RalphError && error.code === "COPY_CHANGED") return { spoilt: error.message };
  throw error;
}
async function doStep(setting, what, given, key) {
  switch (what) {
    case "mark":
      return mark(setting, given);
    case "judge":
      return judgeRun2(setting, given);
    case "prompt-back":
      return putPromptBack(setting, given, key);
    case "put-back":
      return putBack(setting, given, key);
    case "approve":
      return approve(setting, given);
    case "tell":
      tell(setting.folder, given);
      return {};
  }
}
async function mark(setting, { iteration, mode, story, tasks }) {
  const { cwd, env, ralphDir, request, copies, place } = setting;
  const read = readTasks(copies.text(tasks));
  if (!read.isValid) throw new Error("an iteration began with a list that is none");
  const { maxIterations, skipReview, reviewCap } = request;
  writeMarker(cwd, place, {
    timestamp: (/* @__PURE__ */ new Date()).toISOString().replace(/\.\d+Z$/, "Z"),
    maxIterations,
    mode: "direct",
    skipReview,
    reviewCap,
    iteration,
    iterationMode: mode,
    story,
    ralphDir,
    preIterationSnapshot: snapshotOf(read.tasks),
    verifyCommands: read.tasks.verifyCommands ?? null
  });
  const code = mode === "review-fix" ? await codePrint(cwd, ralphDir, env) : null;
  return { head: await headCommit(gitIn(cwd, env)), code };
}
async function approve(setting, { story, approved }) {
  const { folder, copies, cwd, env, ralphDir } = setting;
  replaceFile((0, import_node_path33.join)(folder, "tasks.json"), copies.read(approved));
  const paths = await trackedAmong([`${ralphDir}/tasks.json`], null, { cwd, env });
  const { commit: commit2, problem } = await ownCommit({
    cwd,
    env,
    paths,
    message: `review: ${story} - auto-approved at cap`
  });
  return { kept: [], commit: commit2, problem };
}
var import_node_path33;
var init_steps = __esm({
  "src/doors/stories/steps.ts"() {
    "use strict";
    import_node_path33 = require("node:path");
    init_error();
    init_git();
    init_code_print();
    init_judge_run();
    init_marker_file();
    init_own_commit();
    init_project_file();
    init_put_back();
    init_rules_snapshot();
    init_rules_tasks();
    init_tell();
  }
});

// src/doors/stories/take-answer.ts
function takeAnswer(folder, ralphDir, last) {
  const file = (0, import_node_path34.join)(folder, DECIDE_FILE);
  const text = readPlain(file);
  const question = last?.ending?.kind === "decision" ? last.ending.reason : null;
  const answer = text === null || question === null ? null : answerTo(question, text);
  return {
    answer,
    putAway(loop) {
      if (!(0, import_node_fs36.existsSync)(file)) return [];
      const kept2 = (0, import_node_path34.join)(loop, DECIDE_FILE);
      replaceFile(kept2, text ?? "");
      replaceFile(file, null);
      return answer === null ? [`${ralphDir}/${DECIDE_FILE} holds no answer to a question of the last loop; it is kept in ${kept2}`] : [`The answer in ${ralphDir}/${DECIDE_FILE} is taken; the file is kept in ${kept2}`];
    }
  };
}
var import_node_fs36, import_node_path34;
var init_take_answer = __esm({
  "src/doors/stories/take-answer.ts"() {
    "use strict";
    import_node_fs36 = require("node:fs");
    import_node_path34 = require("node:path");
    init_plain_file();
    init_project_file();
    init_tell();
  }
});

// src/doors/stories/loop.ts
async function runStories(request, options) {
  const { environment, release, pluginDir, isRoot } = options;
  const cwd = projectFolder(options.projectDir);
  const tasks = refuseUnready((0, import_node_path35.resolve)(cwd, request.ralphDir), request);
  refuseUnsafe(request, { isRoot, env: environment.variables, pluginDir });
  const host = hostOf(options);
  if (!(await git(["rev-parse", "--is-inside-work-tree"], cwd, host.env)).ok) options.tell(NO_REPOSITORY);
  takeOverMarker(cwd, host, options);
  const taken = takeAnswer((0, import_node_path35.resolve)(cwd, request.ralphDir), request.ralphDir, newestStories(environment.root, cwd));
  const now2 = Date.now();
  const id = newLoopId(now2);
  const asked2 = { ...request, answer: taken.answer };
  const created = { id, door: "stories", cwd, release, options: asked2 };
  const loop = createLoop(storiesCrank, created, now2, { root: environment.root, place: host.place, mask: host.mask });
  return turn(loop, host, options, async () => {
    await endOrphans(environment.root, { cwd, except: id }, GRACE_MS);
    const earlier = await putBackOfEarlier(storiesCrank, cwd, id, settingOf, host, environment.root).catch(
      forget(loop)
    );
    for (const line of [...earlier, ...taken.putAway(loop.folder)]) options.tell(line);
    options.begins(earlier.length === 0 ? tasks : refuseUnready((0, import_node_path35.resolve)(cwd, request.ralphDir), request), request);
  });
}
function forget({ folder }) {
  return (error) => {
    (0, import_node_fs37.rmSync)(folder, { recursive: true, force: true });
    throw error;
  };
}
async function resumeStories(options) {
  const { environment, pluginDir, isRoot } = options;
  const cwd = projectFolder(options.projectDir);
  const found = newestStories(environment.root, cwd);
  if (found === null || found.ending !== null) {
    throw new RalphError("NOTHING_TO_RESUME", `no unfinished stories loop in ${cwd}`, {
      hint: "Start one: ralph stories run",
      exitCode: 2
    });
  }
  const host = hostOf(options);
  takeOverMarker(cwd, host, options);
  const folder = loopFolder(environment.root, found.id);
  const again = (_options, masked2) => wholeInputs(masked2, copiesIn(folder));
  const loop = reopenLoop(
    storiesCrank,
    found.id,
    cwd,
    { root: environment.root, place: host.place, mask: host.mask },
    again
  );
  return turn(loop, host, options, async () => {
    refuseUnsafe(loop.state.data.request, { isRoot, env: environment.variables, pluginDir });
    if (readOrder(folder) === "pause") giveOrder(folder, "run");
    await Promise.resolve();
  });
}
function exitCodeOf(driven) {
  if (driven.kind === "stopped") return EXIT_INTERRUPTED;
  const { ending } = driven;
  return ending.kind === "infrastructure" && ending.reason === EMPTY_REPLIES ? 1 : EXIT_CODES[ending.kind];
}
function projectFolder(path) {
  try {
    return (0, import_node_fs37.realpathSync)(path);
  } catch (error) {
    throw new RalphError("WORK_TREE", `cannot work in ${path}: ${errnoOf(error) ?? String(error)}`, { exitCode: 2 });
  }
}
function ralphDirOf(projectDir, given) {
  const path = (0, import_node_path35.resolve)(projectDir, given);
  const inside = (0, import_node_path35.relative)(projectDir, path);
  return inside === "" || inside.startsWith("..") || (0, import_node_path35.isAbsolute)(inside) ? path : inside;
}
async function turn(loop, host, options, prepare) {
  const { emit, ready, stop, cancel } = options;
  const { cwd, data } = loop.state;
  const runner = directRunner({ host, grace: GRACE_MS });
  const setting = settingOf(loop.folder, cwd, data.request, host);
  const log = iterationLog(setting, host.mask);
  try {
    keepOut(cwd, data.request.ralphDir);
    await prepare();
    return await drive(storiesCrank, loop, {
      perform: performers(loop, setting, host, runner, options.pluginDir),
      now: Date.now,
      emit: (event) => {
        log(event);
        emit(event);
      },
      stop,
      cancel,
      ...ready === void 0 ? {} : { ready }
    });
  } finally {
    removeMarker(cwd, host.place);
    await runner.close();
    loop.close();
  }
}
function performers(loop, setting, host, runner, pluginDir) {
  const { cwd, folder, request, copies } = setting;
  const looks = lastLooks();
  const local = localPerformers({
    loop: { id: loop.state.id, folder: loop.folder },
    cwd,
    host,
    runner,
    grace: GRACE_MS,
    now: Date.now,
    readInputs: storiesReader({ folder, request, copies, pluginDir, last: looks.last, beforePause: looks.beforePause }),
    choosingHint: "name another with --agent."
  });
  return async (action, at) => {
    if (action.do !== "step" && action.do !== "wait") return local(action, at);
    const waiting2 = { loop: loop.folder, now: Date.now, signal: at.signal };
    const result = action.do === "step" ? await performStep(setting, action) : await waitForOrders(action.until, waiting2);
    looks.after(action, result);
    return { result, attempt: 1 };
  };
}
function settingOf(loop, cwd, request, { env, place }) {
  const { ralphDir } = request;
  return { cwd, folder: (0, import_node_path35.resolve)(cwd, ralphDir), ralphDir, loop, request, copies: copiesIn(loop), env, place };
}
function keepOut(cwd, ralphDir) {
  excludeFromGit(cwd, MARKER_NAME);
  if ((0, import_node_path35.isAbsolute)(ralphDir)) return;
  for (const name of ["logs/", ...TOLD_FILES]) excludeFromGit(cwd, `**/${ralphDir}/${name}`);
}
function takeOverMarker(cwd, host, { tell: tell2 }) {
  const pid = takeOver(cwd, host.place);
  if (pid !== null) tell2(`${MARKER_NAME} was left by process ${pid}, which is gone; taking it over`);
}
function hostOf({ environment: { variables, containment } }) {
  return thisHost(loopEnvironment(variables), containment);
}
var import_node_fs37, import_node_path35, GRACE_MS, storiesCrank, NO_REPOSITORY;
var init_loop2 = __esm({
  "src/doors/stories/loop.ts"() {
    "use strict";
    import_node_fs37 = require("node:fs");
    import_node_path35 = require("node:path");
    init_crank();
    init_ending();
    init_error();
    init_drive();
    init_loop();
    init_orders();
    init_orphans();
    init_performers();
    init_waiting();
    init_host();
    init_direct();
    init_exclude();
    init_git();
    init_loop_id();
    init_paths();
    init_copies();
    init_earlier_loop();
    init_find_loop();
    init_inputs();
    init_iteration_log();
    init_last_looks();
    init_marker_file();
    init_preflight();
    init_rules();
    init_rules_marker();
    init_steps();
    init_story_state();
    init_take_answer();
    init_tell();
    GRACE_MS = 5e3;
    storiesCrank = crank(storiesRules);
    NO_REPOSITORY = "WARNING: this is no git repository: nothing is committed, and reviewers see no differences. To make it one: git init";
  }
});

// src/doors/stories/end-loops.ts
async function endLoops(cwd, { root, variables }, reason) {
  const unfinished = listLoops(root).filter(
    (loop) => loop.door === "stories" && loop.cwd === cwd && loop.ending === null
  );
  const home = { root, place: thisPlace3(), mask: maskFor(variables) };
  for (const loop of unfinished)
    await endUnfinished(storiesCrank, loop, home, reason, { at: Date.now(), grace: GRACE_MS });
  return unfinished.map(({ id }) => id);
}
var init_end_loops = __esm({
  "src/doors/stories/end-loops.ts"() {
    "use strict";
    init_mask();
    init_end_unfinished();
    init_identity();
    init_registry();
    init_loop2();
  }
});

// src/doors/stories/init.ts
async function initStories(request) {
  const { projectDir, force } = request;
  const folder = (0, import_node_path36.join)(projectDir, FOLDER);
  if (!force && (0, import_node_fs38.existsSync)((0, import_node_path36.join)(folder, "tasks.json"))) {
    throw new RalphError("INITIALIZED", `${FOLDER}/ already has state files (tasks.json exists).`, {
      hint: "Use --force to overwrite them, or file them away first: ralph stories archive",
      exitCode: 1
    });
  }
  await request.endLoops();
  (0, import_node_fs38.mkdirSync)(folder, { recursive: true });
  const written = writeTemplates(folder, request, { overwrites: force });
  ignore(projectDir);
  return [...written.map((name) => `${FOLDER}/${name}`), ".gitignore"];
}
function writeTemplates(folder, { projectDir, name, templates, now: now2 }, { overwrites }) {
  const template = (file) => (0, import_node_fs38.readFileSync)((0, import_node_path36.join)(templates, file), "utf8");
  const project = name ?? (0, import_node_path36.basename)(projectDir);
  const files = {
    "prompt.md": template("prompt.md"),
    "prd.md": template("prd-template.md"),
    "tasks.json": tasksText(template("tasks-template.json"), name),
    "progress.txt": template("progress-template.md").replaceAll("{{DATE}}", () => dayOf2(now2)).replaceAll("{{PROJECT_NAME}}", () => project)
  };
  const wanted = Object.entries(files).filter(([file]) => overwrites || !(0, import_node_fs38.existsSync)((0, import_node_path36.join)(folder, file)));
  for (const [file, text] of wanted) replaceFile((0, import_node_path36.join)(folder, file), text);
  return wanted.map(([file]) => file);
}
function dayOf2(now2) {
  return new Date(now2.getTime() - now2.getTimezoneOffset() * 6e4).toISOString().slice(0, 10);
}
function tasksText(template, name) {
  if (name === null) return template;
  const tasks = JSON.parse(template);
  return `${JSON.stringify({ ...tasks, branchName: `ralph/${name}` }, null, 2)}
`;
}
function ignore(projectDir) {
  const path = (0, import_node_path36.join)(projectDir, ".gitignore");
  const present = (0, import_node_fs38.existsSync)(path) ? (0, import_node_fs38.readFileSync)(path, "utf8") : "";
  const lines = present.split("\n").map((line) => line.trim());
  const missing2 = [
    ...lines.includes(MARKER_NAME) ? [] : ["# Ralph Loop runtime marker", MARKER_NAME],
    ...lines.includes(`${FOLDER}/logs/`) ? [] : ["# Ralph Loop logs", `${FOLDER}/logs/`]
  ];
  if (missing2.length === 0) return;
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  (0, import_node_fs38.appendFileSync)(path, `${gap}${missing2.join("\n")}
`);
}
var import_node_fs38, import_node_path36, FOLDER;
var init_init = __esm({
  "src/doors/stories/init.ts"() {
    "use strict";
    import_node_fs38 = require("node:fs");
    import_node_path36 = require("node:path");
    init_error();
    init_project_file();
    init_rules_marker();
    FOLDER = "ralph";
  }
});

// src/doors/stories/plugin-folder.ts
function findPlugin(from, given) {
  const candidates = given ? [given] : [(0, import_node_path37.join)(from, ".."), (0, import_node_path37.join)(from, "../../plugin"), (0, import_node_path37.join)(from, "../../../plugin")];
  return candidates.map((path) => (0, import_node_path37.resolve)(path)).find(isPlugin) ?? null;
}
function templatesOf(pluginDir) {
  if (pluginDir !== null && (0, import_node_fs39.existsSync)((0, import_node_path37.join)(pluginDir, "templates"))) return (0, import_node_path37.join)(pluginDir, "templates");
  throw new RalphError("NO_PLUGIN", "the templates were not found: they come with the ralph plugin", {
    hint: "Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.",
    exitCode: 2
  });
}
function isPlugin(path) {
  return (0, import_node_fs39.existsSync)((0, import_node_path37.join)(path, ".claude-plugin/plugin.json")) && (0, import_node_fs39.existsSync)((0, import_node_path37.join)(path, "hooks/hooks.json"));
}
var import_node_fs39, import_node_path37;
var init_plugin_folder = __esm({
  "src/doors/stories/plugin-folder.ts"() {
    "use strict";
    import_node_fs39 = require("node:fs");
    import_node_path37 = require("node:path");
    init_error();
  }
});

// src/config/environment.ts
var environment_exports = {};
__export(environment_exports, {
  ownMask: () => ownMask,
  readEnvironment: () => readEnvironment
});
function readEnvironment(variables = process.env) {
  return {
    variables,
    root: stateRoot(variables),
    swarmHome: (0, import_node_path38.resolve)(variables.SWARM_HOME || (0, import_node_path38.join)(variables.HOME || "/", ".swarm")),
    swarmSecondMs: Number(variables.SWARM_SECOND_MS) || 1e3,
    containment: readRung(variables.RALPH_CONTAINMENT),
    color: (variables.NO_COLOR ?? "") === "" && variables.TERM !== "dumb"
  };
}
function ownMask() {
  return maskFor(process.env);
}
function readRung(value) {
  if (value === void 0 || value === "") return null;
  const rung = RUNGS.find((known) => known === value);
  if (rung !== void 0) return rung;
  throw new RalphError("ENVIRONMENT", `RALPH_CONTAINMENT is "${value}"`, {
    hint: `It may be ${RUNGS.join(", ")}; unset, the strongest that works here is taken.`,
    exitCode: 2
  });
}
var import_node_path38;
var init_environment = __esm({
  "src/config/environment.ts"() {
    "use strict";
    import_node_path38 = require("node:path");
    init_error();
    init_mask();
    init_containment();
    init_paths();
  }
});

// src/cli/stories/place.ts
function placeOf(flags) {
  const projectDir = projectFolder(flags.projectDir ?? process.cwd());
  return { projectDir, ralphDir: ralphDirOf(projectDir, flags.ralphDir ?? "ralph"), environment: readEnvironment() };
}
function pluginOf({ variables }, here) {
  return findPlugin(here, variables.RALPH_PLUGIN_DIR);
}
var init_place = __esm({
  "src/cli/stories/place.ts"() {
    "use strict";
    init_environment();
    init_loop2();
    init_plugin_folder();
  }
});

// src/cli/stories/init.ts
var init_exports = {};
__export(init_exports, {
  initCommand: () => initCommand
});
async function initCommand(flags, here) {
  const { projectDir, environment } = placeOf(flags);
  const templates = templatesOf(pluginOf(environment, here));
  const name = flags.name?.trim() || null;
  const ends = () => endLoops(projectDir, environment, "a new plan was begun");
  const force = flags.force === true;
  const written = await initStories({ projectDir, name, force, templates, now: /* @__PURE__ */ new Date(), endLoops: ends });
  excludeFromGit(projectDir, MARKER_NAME);
  process.stdout.write(`Initialized ralph/ in ${projectDir}
${written.map((path) => `  ${path}
`).join("")}${NEXT}`);
  return 0;
}
var NEXT;
var init_init2 = __esm({
  "src/cli/stories/init.ts"() {
    "use strict";
    init_end_loops();
    init_init();
    init_plugin_folder();
    init_rules_marker();
    init_exclude();
    init_place();
    NEXT = `
Next steps:
  1. Write what is to be built into ralph/prd.md, or have it asked out of you: /ralph-plan in Claude Code
  2. Fill ralph/tasks.json with stories; /ralph-plan derives them from ralph/prd.md
  3. Commit, then run the loop: ralph stories run
  4. When it is done: ralph stories archive
`;
  }
});

// src/doors/stories/request.ts
function storiesRequest(given) {
  const request = { ...STORIES_DEFAULTS, ...given };
  refuseBelowOne("--max-iterations", request.maxIterations);
  refuseBelowOne("--review-cap", request.reviewCap);
  return request;
}
function refuseBelowOne(option, value) {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RalphError("STORIES_OPTION", `${option} must be a positive integer, got ${value}`, { exitCode: 2 });
}
var STORIES_DEFAULTS;
var init_request2 = __esm({
  "src/doors/stories/request.ts"() {
    "use strict";
    init_error();
    init_rules_marker();
    STORIES_DEFAULTS = {
      ralphDir: "ralph",
      maxIterations: 15,
      agent: "claude",
      model: null,
      reviewAgent: null,
      reviewModel: null,
      skipReview: false,
      reviewCap: DEFAULT_REVIEW_CAP,
      backoffUnitMs: 1e3,
      answer: null
    };
  }
});

// src/doors/stories/survey.ts
function surveyStories({ projectDir, ralphDir, root, place }) {
  const known = knownLoop(projectDir, root);
  const skipReview = markerIn(projectDir)?.skipReview ?? known?.request?.skipReview ?? false;
  const read = readTasks(readPlain((0, import_node_path39.resolve)(projectDir, ralphDir, "tasks.json")), `${ralphDir}/tasks.json`);
  const loop = loopIn(projectDir, known, root, place);
  if (!read.isValid) {
    const problem = read.problems[0] ?? "";
    return { project: null, stories: [], problem, isComplete: false, next: null, budget: null, loop };
  }
  const { tasks } = read;
  const isDone2 = isComplete(tasks, { skipReview });
  const { mode, story } = chooseMode(tasks, { skipReview });
  return {
    project: tasks.project,
    stories: tasks.userStories.map((one) => ({
      id: one.id,
      title: one.title,
      state: one.reviewStatus ?? (one.passes ? "passes" : "open"),
      reviewCount: one.reviewCount,
      isCapApproval: isCapApproval(one)
    })),
    problem: null,
    isComplete: isDone2,
    next: isDone2 ? null : { mode, story: story?.id ?? null },
    budget: isDone2 ? null : estimateBudget(tasks, { skipReview }).text,
    loop
  };
}
function knownLoop(cwd, root) {
  const status = newestStories(root, cwd);
  if (status === null) return null;
  const { records } = readJournal(journalPath(loopFolder(root, status.id)));
  const created = records[0]?.result;
  const last = records.at(-1)?.result;
  return {
    status,
    // Written by this door's own start.
    request: created?.kind === "created" ? created.options : null,
    isPaused: last?.kind === "waited" && last.command === "pause"
  };
}
function loopIn(cwd, known, root, place) {
  const marked = markerPid(cwd, place);
  if (known === null || known.status.ending !== null && marked !== null) {
    return marked === null ? null : { id: null, state: "running", pid: marked, iteration: null, ending: null };
  }
  const { id, iteration, ending } = known.status;
  const holder = ending === null ? lockHolder(workTreeLock(root, cwd), place) : null;
  const pid = holder?.purpose === `loop ${id}` ? holder.pid : null;
  const isTold = readOrder(loopFolder(root, id)) === "pause";
  const turning = isTold ? known.isPaused ? "paused" : "pausing" : "running";
  const state = ending !== null ? "ended" : pid === null ? "interrupted" : turning;
  return { id, state, pid, iteration, ending };
}
var import_node_path39;
var init_survey = __esm({
  "src/doors/stories/survey.ts"() {
    "use strict";
    import_node_path39 = require("node:path");
    init_orders();
    init_journal();
    init_lock();
    init_paths();
    init_plain_file();
    init_work_tree_lock();
    init_find_loop();
    init_marker_file();
    init_rules_judge();
    init_rules_mode();
    init_rules_tasks();
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
    } else cancel.abort();
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

// src/cli/outlet.ts
function openOutlet({ stdout, stderr, mask }) {
  let shown = "";
  const flush = () => {
    if (shown !== "") stdout.write(shown);
    shown = "";
  };
  const show = (text) => {
    if (shown === "") queueMicrotask(flush);
    shown += `${text}
`;
    if (shown.length > WRITE_AT_ONCE) flush();
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
  return new Promise((resolve10) => {
    const goOn = () => {
      for (const event of events) sink.off(event, goOn);
      resolve10();
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

// src/cli/task/table.ts
function tableLines(header, rows) {
  const all = [header, ...rows.map((row) => row.map(inOneCell))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map(
    (row) => row.map((cell, column) => column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)).join("  ")
  );
}
function inOneCell(text) {
  return text.split(/\s+/).filter(Boolean).join(" ") || "-";
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
      return [`Agent ${outcome.kind}: ${printable(outcome.reason)}`];
  }
}
function clockTime(at) {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 6e4);
  return local.toISOString().slice(0, 16).replace("T", " ");
}
var init_words = __esm({
  "src/cli/words.ts"() {
    "use strict";
    init_outcome();
    init_printable();
  }
});

// src/cli/stories/console.ts
function storiesConsole(options) {
  const { mask, color } = options;
  const { show, say, ready } = openOutlet(options);
  const tell2 = (text) => {
    const [first = "", ...more] = printable(text).split("\n");
    for (const line of [first, ...more.map((one) => `    ${one}`)]) say(`[ralph] ${line}`.trimEnd());
  };
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let last = null;
  const progress = (event) => {
    if (event.type === "stderr") say(printable(event.text));
    if (event.type === "notice") tell2(`Agent: ${event.text}`);
    const text = format(event);
    const masked2 = text === null ? null : maskShown(text);
    if (masked2 !== null) show(masked2);
  };
  return {
    show(event) {
      if (event.type === "progress") {
        progress(event.event);
        return;
      }
      const before = last;
      last = event.state;
      if (event.type === "record") for (const line of recordLines(event.record, event.state, before)) tell2(line);
      else if (event.action.do === "start") {
        format = eventFormatter({ ...DEFAULT_FORMAT, mask, color });
        say("");
        tell2(iterationLine(event.state));
      }
    },
    tell: tell2,
    begins(tasks, request) {
      for (const line of options.start) tell2(line);
      const how = callsClaude(request) ? "with --dangerously-skip-permissions" : request.agent;
      tell2(`WARNING: Running ${how} without sandbox isolation`);
      tell2(`Estimated budget: ${estimateBudget(tasks, request).text}`);
    },
    ready,
    close(driven) {
      if (last !== null && last.usage.runs > 0) tell2(`Usage: ${describeUsage(last.usage)}`);
      if (driven.kind === "stopped") tell2(`Stopped. The loop is unfinished; to go on: ${RESUME}`);
      else for (const line of endingLines(driven.ending, last)) tell2(line);
    }
  };
}
function iterationLine({ iteration, data: { request, running } }) {
  const what = running === null ? "" : ` — ${running.mode} — ${running.story.id} ${inOneCell(running.story.title)}`;
  return `=== Iteration ${iteration}/${request.maxIterations}${what} ===`;
}
function recordLines({ result }, state, before) {
  if (result.kind === "ran") return outcomeLines(result.outcome);
  if (result.kind === "waited" && result.command === "pause")
    return [`Paused before iteration ${state.iteration + 1}; to go on: ${RESUME}`];
  if (result.kind === "waited" && result.command === "resume") return ["Resumed"];
  if (result.kind === "inputs" && result.inputs !== void 0)
    return [...cutOffPromptLines(state, before), ...pauseLines(state)];
  if (result.kind !== "stepped") return [];
  if (result.gave.spoilt !== void 0) return [];
  const isPromptBack = state.phase.at === "step" && state.phase.what === "prompt-back";
  if (result.what === "judge") return isPromptBack ? [] : judgedLines(state);
  if (result.what === "prompt-back")
    return [...promptLines(result.gave, state), ...judgedLines(state)];
  if (result.what === "put-back") return putBackLines(result.gave, before?.data ?? state.data);
  if (result.what === "approve") return approvedLines(result.gave, state);
  return [];
}
function pauseLines({ data: { inputs } }) {
  return (inputs?.inPause ?? []).map((what) => `During the pause: ${what}`);
}
function cutOffPromptLines({ data: { inputs, request } }, before) {
  const began = before?.data.running?.prompt;
  if (began === void 0 || began === inputs?.promptCopy) return [];
  return [`WARNING: ${request.ralphDir}/prompt.md was changed since the last run began; the next one follows it`];
}
function promptLines({ kept: kept2, commit: commit2, problem }, { data: { request } }) {
  const what = `WARNING: ${request.ralphDir}/prompt.md was changed during this iteration; it is put back.`;
  return [
    `${what} Edit it between two loops, or in a pause.`,
    ...kept2.map((path) => `The agent's version is kept in ${path}`),
    ...commitLines(commit2, problem)
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
  const isDone2 = state.phase.at === "end" && state.phase.ending.kind === "done";
  if (isDone2)
    return promise.length > 0 ? [...promise, "All stories complete and verified!"] : ["All stories verified complete via tasks.json (no promise tag)."];
  const unkept = promise.length > 0 && verdict.kind !== "at-cap";
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
  const isCutOff = pending?.why === "interrupted";
  return [
    ...pending?.why === "between" ? [`TAMPERED: ${note ?? ""}`] : [],
    isCutOff ? "The last run was cut off; tasks.json is put back as it was before it" : "tasks.json is put back as it was",
    ...kept2.map(
      (path) => `${pending?.why === "between" ? "What was written" : "The agent's version"} is kept in ${path}`
    ),
    ...commitLines(commit2, problem)
  ];
}
function commitLines(commit2, problem) {
  return [
    ...commit2 === null ? [] : [`Committed ${commit2.slice(0, 12)}`],
    ...problem === null ? [] : [`WARNING: it could not be committed: ${problem}`]
  ];
}
function approvedLines({ problem }, { data }) {
  const verdict = data.judged?.verdict;
  const story = verdict?.kind === "at-cap" ? verdict.story : "";
  const cap = `Story ${story}: changes requested at the review cap (${data.request.reviewCap}); auto-approved, see its reviewFeedback`;
  return problem === null ? [cap] : [cap, `WARNING: it could not be committed: ${problem}`];
}
function endingLines(ending, last) {
  const hint = (text) => `hint: ${text}`;
  switch (ending.kind) {
    case "done":
      return last === null || last.usage.runs === 0 ? ["All stories verified complete via tasks.json (no promise tag)."] : [];
    case "iteration-limit":
      return [`Max iterations (${ending.limit}) reached without completion.`];
    case "kept-failing":
      return [`ERROR: ${ending.failures} consecutive failures. Aborting.`];
    case "infrastructure":
      return [`ERROR: ${ending.reason}${ending.reason === EMPTY_REPLIES ? ". Aborting." : ""}`];
    case "blocked":
      return [`BLOCKED: ${ending.reason}`];
    case "decision":
      return [
        `DECISION NEEDED: ${ending.reason}`,
        hint(`answer in ${last?.data.request.ralphDir ?? "ralph"}/decide.txt, then: ralph stories run`)
      ];
    case "stuck":
    case "tampered":
      return [`ERROR: ${ending.reason}`];
    case "configuration":
      return [`ERROR: ${ending.reason}`, ...ending.hint === void 0 ? [] : [hint(ending.hint)]];
    case "auth":
      return [`ERROR: ${ending.reason}`, hint("log the agent in, or give it a valid key, then: ralph stories run")];
    case "usage-limit": {
      const lifted = ending.resetAt === null ? "" : `; it is lifted at ${clockTime(ending.resetAt)}`;
      return [`ERROR: usage limit: ${ending.reason}${lifted}`, hint("when it is lifted: ralph stories run")];
    }
    case "stopped":
      return ["Stopped for good."];
  }
}
var RESUME;
var init_console = __esm({
  "src/cli/stories/console.ts"() {
    "use strict";
    init_mask();
    init_usage();
    init_agent();
    init_rules_mode();
    init_story_state();
    init_formatter();
    init_printable();
    init_outlet();
    init_table();
    init_words();
    RESUME = "ralph stories resume";
  }
});

// src/cli/stories/status.ts
var status_exports = {};
__export(status_exports, {
  statusCommand: () => statusCommand,
  storyTable: () => storyTable
});
async function statusCommand({ json = false, ...flags }) {
  const { projectDir, ralphDir, environment } = placeOf(flags);
  const survey = surveyStories({ projectDir, ralphDir, root: environment.root, place: thisPlace3() });
  const text = json ? JSON.stringify(survey, null, 2) : statusLines(survey).map(printable).join("\n");
  process.stdout.write(`${text}
`);
  return Promise.resolve(survey.problem === null ? 0 : 1);
}
function statusLines({ project, stories, problem, isComplete: isComplete3, next: next2, budget, loop }) {
  const loopLine = loop === null ? "Loop: none yet" : `Loop: ${loopWords(loop)}`;
  if (problem !== null) return [problem, loopLine];
  const complete = stories.filter(({ state }) => state === "approved" || state === "passes").length;
  const left = isComplete3 || next2 === null ? "All stories are complete." : `Next: ${next2.mode} ${next2.story ?? "(no story is ready)"}; ${budget}`;
  return [
    ...project ? [`Project: ${inOneCell(project)}`] : [],
    ...storyTable(stories),
    "",
    `Stories: ${complete}/${stories.length} complete`,
    left,
    loopLine
  ];
}
function storyTable(stories) {
  if (stories.length === 0) return [];
  const rows = stories.map(({ id, title, state, reviewCount, isCapApproval: isCapApproval2 }) => {
    return [id, state, `${reviewCount}${isCapApproval2 ? " (cap)" : ""}`, title];
  });
  return tableLines(["STORY", "STATE", "REVIEWS", "TITLE"], rows);
}
function loopWords({ state, pid, iteration, ending }) {
  const at = iteration === null ? "" : `, iteration ${iteration}`;
  switch (state) {
    case "running":
      return `running (pid ${pid}${at})`;
    case "pausing":
      return `pausing after this iteration (pid ${pid}${at})`;
    case "paused":
      return `paused (pid ${pid}${at}); to go on: ralph stories resume`;
    case "interrupted":
      return `interrupted${at}; to go on: ralph stories resume`;
    case "ended":
      return `ended${at}: ${ending === null ? "" : endingWords(ending)}`;
  }
}
function endingWords(ending) {
  return "reason" in ending && ending.reason !== void 0 ? `${ending.kind} (${inOneCell(ending.reason)})` : ending.kind;
}
var init_status2 = __esm({
  "src/cli/stories/status.ts"() {
    "use strict";
    init_survey();
    init_identity();
    init_printable();
    init_table();
    init_place();
  }
});

// src/cli/stories/run.ts
var run_exports = {};
__export(run_exports, {
  inTerminal: () => inTerminal,
  runCommand: () => runCommand
});
function runCommand(flags, release, here) {
  const place = placeOf(flags);
  if (flags.sandbox === true)
    throw new RalphError("NO_SANDBOX", "--sandbox specified but Docker Sandbox is not available.", { exitCode: 2 });
  const request = storiesRequest({
    ralphDir: place.ralphDir,
    maxIterations: flags.maxIterations,
    agent: flags.agent,
    model: flags.model || null,
    reviewAgent: flags.reviewAgent || null,
    reviewModel: flags.reviewModel || null,
    skipReview: flags.skipReview === true,
    reviewCap: flags.reviewCap,
    ...flags.failureBackoff === void 0 ? {} : { backoffUnitMs: flags.failureBackoff }
  });
  const start = flags.sandbox === false ? [] : ["Docker Sandbox not available — using direct mode"];
  return inTerminal(place, release, here, start, (options) => runStories(request, options));
}
async function inTerminal({ projectDir, ralphDir, environment }, release, here, start, turn2) {
  const { show, tell: tell2, begins, ready, close } = storiesConsole({
    stdout: process.stdout,
    stderr: process.stderr,
    color: process.stdout.isTTY && environment.color,
    mask: maskFor(environment.variables),
    start
  });
  const signals = handleSignals(tell2);
  const { stop, cancel } = signals;
  const isRoot = process.getuid?.() === 0;
  const pluginDir = pluginOf(environment, here);
  const survey = { projectDir, ralphDir, root: environment.root, place: thisPlace3() };
  const around = { projectDir, environment, release, pluginDir, isRoot };
  try {
    const driven = await turn2({ ...around, emit: show, tell: tell2, begins, ready, stop, cancel });
    close(driven);
    for (const line of storyTable(surveyStories(survey).stories)) tell2(line);
    return exitCodeOf(driven);
  } finally {
    signals.release();
  }
}
var init_run = __esm({
  "src/cli/stories/run.ts"() {
    "use strict";
    init_error();
    init_mask();
    init_loop2();
    init_request2();
    init_survey();
    init_identity();
    init_signals();
    init_console();
    init_place();
    init_status2();
  }
});

// src/cli/stories/steer.ts
var steer_exports = {};
__export(steer_exports, {
  pauseCommand: () => pauseCommand,
  resumeCommand: () => resumeCommand
});
async function pauseCommand(flags) {
  const place = placeOf(flags);
  const { id, state, pid } = loopOf(place) ?? { id: null, state: "ended", pid: null };
  if (id === null || pid === null) {
    const hint = state === "interrupted" ? "It was interrupted; to go on: ralph stories resume" : "Start one: ralph stories run";
    throw new RalphError("NOT_RUNNING", `no stories loop runs in ${place.projectDir}`, { hint, exitCode: 1 });
  }
  refuseOwnAgent(place, id);
  giveOrder(loopFolder(place.environment.root, id), "pause");
  const words = state === "running" ? "Pausing after the current iteration" : "Already paused";
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to go on: ralph stories resume
`);
  return Promise.resolve(0);
}
async function resumeCommand(flags, release, here) {
  const place = placeOf(flags);
  const loop = loopOf(place);
  if (loop !== null && loop.id !== null) refuseOwnAgent(place, loop.id);
  if (loop !== null && loop.id !== null && (loop.state === "paused" || loop.state === "pausing")) {
    giveOrder(loopFolder(place.environment.root, loop.id), "run");
    process.stdout.write(`[ralph] Resumed (pid ${loop.pid})
`);
    return 0;
  }
  return inTerminal(place, release, here, [], resumeStories);
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
  return surveyStories({ projectDir, ralphDir, root: environment.root, place: thisPlace3() }).loop;
}
var init_steer = __esm({
  "src/cli/stories/steer.ts"() {
    "use strict";
    init_error();
    init_loop2();
    init_survey();
    init_orders();
    init_end();
    init_identity();
    init_trace();
    init_paths();
    init_run_files();
    init_place();
    init_run();
  }
});

// src/doors/stories/check.ts
async function checkStories({ projectDir, ralphDir, env }) {
  const marker = markerIn(projectDir);
  const folder = marker?.ralphDir ?? ralphDir;
  const verdict = judgeAgainst(
    marker?.preIterationSnapshot ?? null,
    readPlain((0, import_node_path40.resolve)(projectDir, folder, "tasks.json")),
    {
      mode: marker?.iterationMode ?? null,
      story: marker?.story ?? null,
      reviewCap: marker?.reviewCap ?? DEFAULT_REVIEW_CAP,
      skipReview: marker?.skipReview ?? false,
      frozen: marker?.frozen ?? null,
      shownPath: `${folder}/tasks.json`
    }
  );
  const { stdout } = await git(["status", "--porcelain"], projectDir, env);
  return {
    mode: marker?.iterationMode ?? null,
    reason: verdict.kind === "legal" ? null : verdict.reason,
    status: stdout
  };
}
var import_node_path40;
var init_check = __esm({
  "src/doors/stories/check.ts"() {
    "use strict";
    import_node_path40 = require("node:path");
    init_git();
    init_plain_file();
    init_marker_file();
    init_rules_judge();
    init_rules_marker();
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
    init_rules_marker();
    MOST_SHOWN = 10;
  }
});

// src/cli/stories/check.ts
var check_exports = {};
__export(check_exports, {
  checkCommand: () => checkCommand
});
async function checkCommand(flags) {
  const { projectDir, ralphDir, environment } = placeOf(flags);
  const { mode, reason, status } = await checkStories({ projectDir, ralphDir, env: environment.variables });
  const reasons = [...reason === null ? [] : [reason], ...uncommitted(status, ralphDir)];
  const by = mode === null ? "no iteration runs, so transitions were not checked" : `mode ${mode}`;
  if (reasons.length === 0) {
    process.stdout.write(`[ralph] All checks passed (${by}).
`);
    return 0;
  }
  process.stdout.write(`${printable(reasons.join("\n\n"))}
`);
  process.stderr.write(`[ralph] The Stop hook would not let the agent stop (${by}).
`);
  return 1;
}
var init_check2 = __esm({
  "src/cli/stories/check.ts"() {
    "use strict";
    init_check();
    init_uncommitted();
    init_printable();
    init_place();
  }
});

// src/doors/stories/archive.ts
async function archiveStories(request) {
  const { projectDir, templates, now: now2, env } = request;
  const folder = (0, import_node_path41.join)(projectDir, "ralph");
  const text = readPlain((0, import_node_path41.join)(folder, "tasks.json"));
  if (text === null) {
    throw new RalphError("NOTHING_TO_ARCHIVE", "ralph/tasks.json not found", {
      hint: "There is nothing to archive; prepare the project with: ralph stories init",
      exitCode: 1
    });
  }
  await request.endLoops();
  const read = readTasks(text);
  const tasks = read.isValid ? read.tasks : null;
  const label = await labelOf(request, text);
  const { complete, total } = countOf(text);
  const path = freePath(projectDir, `${dayOf2(now2)}-${label}`);
  (0, import_node_fs40.mkdirSync)((0, import_node_path41.join)(projectDir, path), { recursive: true });
  const papers = PAPERS.filter((name) => (0, import_node_fs40.existsSync)((0, import_node_path41.join)(folder, name)));
  const began = startOf((0, import_node_path41.join)(folder, "progress.txt"));
  for (const name of papers) (0, import_node_fs40.renameSync)((0, import_node_path41.join)(folder, name), (0, import_node_path41.join)(projectDir, path, name));
  if (request.includeLogs && (0, import_node_fs40.existsSync)((0, import_node_path41.join)(folder, "logs")))
    (0, import_node_fs40.renameSync)((0, import_node_path41.join)(folder, "logs"), (0, import_node_path41.join)(projectDir, path, "logs"));
  const summary = summaryOf({ project: projectOf(text), label, complete, total, tasks, began, now: now2 });
  (0, import_node_fs40.writeFileSync)((0, import_node_path41.join)(projectDir, path, "summary.md"), summary);
  writeTemplates(folder, { projectDir, name: null, templates, now: now2 }, { overwrites: false });
  const message = `archive(ralph): ${label} — ${complete}/${total} stories completed`;
  const done = await committed2(projectDir, env, message, path);
  return { path, label, complete, total, ...done };
}
async function committed2(cwd, env, message, path) {
  const inside = await git(["rev-parse", "--is-inside-work-tree"], cwd, env);
  if (!inside.ok) return { commit: null, problem: "not a git repository" };
  return ownCommit({ cwd, env, message, paths: [path, "ralph"] });
}
async function labelOf({ label, projectDir, env }, text) {
  const branch = async () => (await git(["symbolic-ref", "--short", "--quiet", "HEAD"], projectDir, env)).stdout.trim();
  const chosen = label || projectOf(text) || await branch() || "loop";
  const clean = chosen.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  return /^\.+$/.test(clean) ? "loop" : clean;
}
function projectOf(text) {
  const file = parsedJson(text);
  return isFields(file) && typeof file.project === "string" ? file.project.trim() : "";
}
function countOf(text) {
  const file = parsedJson(text);
  const stories = isFields(file) && Array.isArray(file.userStories) ? file.userStories.filter(isFields) : [];
  return { complete: stories.filter(({ passes }) => passes === true).length, total: stories.length };
}
function freePath(projectDir, name) {
  for (let twin = 1; ; twin++) {
    const path = (0, import_node_path41.join)("ralph-archive", twin === 1 ? name : `${name}-${twin}`);
    if (!(0, import_node_fs40.existsSync)((0, import_node_path41.join)(projectDir, path))) return path;
  }
}
function startOf(progress) {
  const said = /^Started:\s*(\d{4}-\d{2}-\d{2})/m.exec(readPlain(progress) ?? "")?.[1];
  return said ?? ((0, import_node_fs40.existsSync)(progress) ? dayOf2((0, import_node_fs40.statSync)(progress).birthtime) : "unknown");
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
var import_node_fs40, import_node_path41, PAPERS;
var init_archive = __esm({
  "src/doors/stories/archive.ts"() {
    "use strict";
    import_node_fs40 = require("node:fs");
    import_node_path41 = require("node:path");
    init_error();
    init_git();
    init_plain_file();
    init_init();
    init_own_commit();
    init_rules_json();
    init_rules_judge();
    init_rules_tasks();
    init_tell();
    PAPERS = ["prd.md", "tasks.json", "progress.txt", ...TOLD_FILES];
  }
});

// src/cli/stories/archive.ts
var archive_exports = {};
__export(archive_exports, {
  archiveCommand: () => archiveCommand
});
async function archiveCommand(flags, here) {
  const { projectDir, ralphDir, environment } = placeOf(flags);
  const { loop } = surveyStories({ projectDir, ralphDir, root: environment.root, place: thisPlace3() });
  if (loop?.pid != null) {
    throw new RalphError("LOCKED", `a loop runs in ${projectDir} (pid ${loop.pid})`, {
      hint: `Wait for its end, or stop it first: kill ${loop.pid}`,
      exitCode: 2
    });
  }
  const templates = templatesOf(pluginOf(environment, here));
  const env = environment.variables;
  const label = flags.label?.trim() || null;
  const includeLogs = flags.includeLogs === true;
  const now2 = /* @__PURE__ */ new Date();
  const ends = () => endLoops(projectDir, environment, "its papers were filed away");
  const done = await archiveStories({ projectDir, label, includeLogs, templates, now: now2, env, endLoops: ends });
  const commit2 = done.commit === null ? "" : ` and committed it (${done.commit.slice(0, 12)})`;
  process.stdout.write(`Archived ${done.complete}/${done.total} stories to ${done.path}${commit2}
`);
  if (done.problem !== null) process.stderr.write(`Warning: not committed: ${done.problem}
`);
  process.stdout.write("ralph/ is ready for the next loop; prompt.md is as it was.\n");
  return 0;
}
var init_archive2 = __esm({
  "src/cli/stories/archive.ts"() {
    "use strict";
    init_error();
    init_archive();
    init_end_loops();
    init_plugin_folder();
    init_survey();
    init_identity();
    init_place();
  }
});

// ../main/node_modules/commander/esm.mjs
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
init_duration();
init_error();
function addStories(stories, exitWith, release, here) {
  const plan = (act) => exitWith(told2(act));
  withPlace(
    stories.command("init").description("Prepare a project: ralph/ with prompt, PRD, task list and progress log.")
  ).option("--name <feature>", "the feature; its branch is ralph/<feature>").option("--force", "overwrite what is there").addHelpText("after", "\nExample:\n  ralph stories init --name checkout").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_init2(), init_exports))).initCommand(flags, here)));
  withRun(
    withList(
      withPlace(
        stories.command("run").description("Run the loop: implement, review with a fresh context, fix, until every story is approved.")
      )
    )
  ).addHelpText("after", "\nExample:\n  ralph stories run -n 20 --review-cap 3").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_run(), run_exports))).runCommand(flags, release, here)));
  withPlace(stories.command("pause").description("Pause the loop of this project after its current iteration.")).addHelpText("after", "\nExample:\n  ralph stories pause      # then edit ralph/tasks.json, and resume").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_steer(), steer_exports))).pauseCommand(flags)));
  withPlace(stories.command("resume").description("Go on with a paused loop, or with one that was interrupted.")).addHelpText("after", "\nExample:\n  ralph stories resume").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_steer(), steer_exports))).resumeCommand(flags, release, here)));
  withList(
    withPlace(stories.command("status").description("Show the stories, their reviews, the loop and what is left."))
  ).option("--json", "for programs").addHelpText("after", "\nExample:\n  ralph stories status").action(
    (flags) => plan(async () => (await Promise.resolve().then(() => (init_status2(), status_exports))).statusCommand(flags))
  );
  withList(
    withPlace(stories.command("check").description("Make the Stop hook's checks now, and print what it would say."))
  ).addHelpText("after", "\nExample:\n  ralph stories check").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_check2(), check_exports))).checkCommand(flags)));
  withPlace(stories.command("archive").description("File the loop away in ralph-archive/ and start afresh.")).option("--label <label>", "its name (default: the project of tasks.json, else the branch)").option("--include-logs", "ralph/logs, too").addHelpText("after", "\nExample:\n  ralph stories archive --label checkout").action((flags) => plan(async () => (await Promise.resolve().then(() => (init_archive2(), archive_exports))).archiveCommand(flags, here)));
}
function withPlace(command) {
  return command.option("-d, --project-dir <path>", "project root (default: cwd)");
}
function withList(command) {
  return command.option("--ralph-dir <path>", "path to ralph/ directory (default: ./ralph)");
}
function withRun(command) {
  return command.option("-n, --max-iterations <n>", "max loop iterations", positiveInteger, 15).option("-m, --model <model>", "model to use, such as opus or sonnet").option("--sandbox", "force Docker Sandbox mode (error if unavailable)").option("--no-sandbox", "force direct mode with the plugin's guard").option("--skip-review", "no fresh-context reviews: implementation iterations set passes=true directly").option(
    "--review-cap <n>",
    "max fresh-context reviews per story; then it is auto-approved with notes",
    positiveInteger,
    5
  ).option("--agent <command>", "the agent", "claude").option("--review-agent <command>", "another agent for reviews").option("--review-model <model>", "another model for reviews").option(
    "--failure-backoff <duration>",
    "the pause after a failed iteration, doubled each time (default: 1s)",
    duration
  );
}
async function told2(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const mask = (await Promise.resolve().then(() => (init_environment(), environment_exports))).ownMask();
    const { hint, exitCode } = error.advice;
    const what = error.code === "INITIALIZED" ? "Warning" : "Error";
    process.stderr.write(mask(`${what}: ${error.message}
${hint === void 0 ? "" : `hint: ${hint}
`}`));
    return exitCode;
  }
}
function positiveInteger(text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("It must be a positive integer.");
  return number;
}
function duration(text) {
  const ms = parseDuration(text);
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
  addStories(stories, exitWith, version, __dirname);
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
