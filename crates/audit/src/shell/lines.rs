//! Shell that the grammar does not take: the commands of each line.

use super::{Call, Out, Reader, programs};
use skillful_shell::{loose::LooseCommand, script::RedirectionKind as Kind};

pub(super) fn read(reader: &mut Reader<'_>, lines: &[Vec<LooseCommand<'_>>], stdin: &Out) -> Out {
    let mut out = Out::default();
    for line in lines {
        let mut input = stdin.clone();
        for command in line {
            if reader.left == 0 {
                return out;
            }
            reader.left -= 1;
            let from = if command.piped { input } else { stdin.clone() };
            input = one(reader, command, from);
        }
        out.add(&input);
    }
    out
}

fn one(reader: &mut Reader<'_>, command: &LooseCommand<'_>, stdin: Out) -> Out {
    let place = reader.at.clone().unwrap_or_else(|| command.range.clone());
    let mut call = Call { stdin, range: place.clone(), ..Call::default() };
    for (operator, target) in &command.redirections {
        let read = reader.text_of_word(target, Some(&place));
        let kind = match *operator {
            ">" | ">>" | ">|" | "&>" | "&>>" => Kind::Write,
            "<" | "<>" => Kind::Read,
            "<<<" => Kind::HereString,
            ">&" | "<&" => Kind::DuplicateOutput,
            // The lines of a here-document are read as lines.
            _ => continue,
        };
        call.redirect(reader.flow, kind, read);
    }
    for word in &command.words {
        let read = reader.text_of_word(word, Some(&place));
        call.words.push(read);
    }
    if call.words.is_empty() { Out::default() } else { programs::call(reader, call) }
}
